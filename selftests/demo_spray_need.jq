# SPDX-License-Identifier: GPL-2.0
#
# demo_spray_need.jq - how much of the rate of all paths is required of a work; for the table
# of the demonstration of several paths, and for its picture.

def least: {spray: 0.95, elephants: 0.95, path_slow: 0.9, reorder: 0.95,
	    loss: {"0.1": 0.97, "1": 0.93, "5": 0.8}["\(.loss_pct)"]}[.work];
