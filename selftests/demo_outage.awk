# SPDX-License-Identifier: GPL-2.0
#
# demo_outage.awk - what a path that dies and comes back did to a flow, from rcc_mon's samples.
#
#	awk -f demo_outage.awk -v failed=SECONDS -v healed=SECONDS -v path=COLUMN -v fair=BYTES/S run.csv
#
# Prints JSON; times are milliseconds, null: not within the time.
#
#	below_ms   for how long in all, in the first half second, less than 95 % of the rest arrived
#	missed_ms  how much of the rest did not arrive in that half second
#	rest_used  what arrived from then on until the healing, of the rest
#	back_ms    from the healing until the path carried half of its share, and went on so
#	full_ms    from the healing until 95 % of what arrived before did again, and went on so
#
# The rest is three quarters of what arrived in the second before the failure.  A rate is
# that of the 40 ms before (the path's: 100 ms): in less than that a flow without any
# failure falls below 95 %, too, now and then.  So what stands still for a moment counts for
# up to 40 ms more.  "Went on so" is half a second.

BEGIN { FS = "," }

NR == 1 {
	for (i = 1; i <= NF; i++) {
		if ($i ~ /_rcvd$/)
			rcvd = i
		if ($i == path)
			bytes = i
	}
	next
}

{ n++; t[n] = $1; packets[n] = $rcvd; carried[n] = $bytes }

# What COUNT was at that time.
function at(count, time,    i) {
	for (i = 1; i < n && t[i + 1] <= time; i++)
		;
	return count[i]
}

# slow(COUNT, I, RATE, WIDTH): true if COUNT grew by less than RATE per second before sample I.
function slow(count, i, rate, width,    k) {
	for (k = i - 1; k > 1 && t[i] - t[k] < width - 0.001; k--)
		;
	return count[i] - count[k] < rate * (t[i] - t[k])
}

# The milliseconds after FROM until COUNT grows by RATE per second and does so for half a second.
function settled(count, from, to, rate, width,    i, since) {
	since = -1
	for (i = 2; i <= n && t[i] <= to; i++) {
		if (t[i] < from || slow(count, i, rate, width))
			since = -1
		else if (since < 0)
			since = t[i]
		else if (t[i] - since >= 0.5)
			return sprintf("%.0f", (since - from) * 1000)
	}
	return "null"
}

# The milliseconds between FROM and TO in which COUNT grows by less.
function below(count, from, to, rate, width,    i, sum) {
	for (i = 2; i <= n; i++)
		if (t[i] > from && t[i] <= to && slow(count, i, rate, width))
			sum += t[i] - t[i - 1]
	return sum * 1000
}

function arrived(from, to) {
	return at(packets, to) - at(packets, from)
}

END {
	all = arrived(failed - 1, failed)
	if (!all)
		exit 1
	rest = 0.75 * all
	printf "{\"below_ms\": %.0f, ", below(packets, failed, failed + 0.5, 0.95 * rest, 0.04)
	printf "\"missed_ms\": %.0f, ", 500 - arrived(failed, failed + 0.5) * 1000 / rest
	printf "\"rest_used\": %.4f, ", arrived(failed + 0.5, healed) / (healed - failed - 0.5) / rest
	printf "\"back_ms\": %s, ", settled(carried, healed, t[n], 0.5 * fair, 0.1)
	printf "\"full_ms\": %s}\n", settled(packets, healed, t[n], 0.95 * all, 0.04)
}
