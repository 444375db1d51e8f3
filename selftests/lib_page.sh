#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lib_page.sh - the commands of a page of Documentation, for tests that type them in.
#
# In indented text, a line "$ COMMAND" is for the host and "# COMMAND" for a guest; lines below it, up to a blank one, are
# what it prints.

# page_parse PAGE: sets these to its commands, in order: prompt, line, command, output.
# shellcheck disable=SC2034 # used by those who source this
page_parse()
{
	local text line=0 n=-1 indent='' more=no

	prompts=() lines=() commands=() outputs=()
	while IFS= read -r text; do
		line=$((line + 1))
		if [[ $text =~ ^(\ +)([\$#])\ (.*)$ ]]; then
			n=$((n + 1)) indent=${BASH_REMATCH[1]} more=yes
			prompts[n]=${BASH_REMATCH[2]} lines[n]=$line commands[n]=${BASH_REMATCH[3]} outputs[n]=''
		elif [ $more = yes ] && [[ $text == "$indent"?* ]]; then
			outputs[n]+=${outputs[n]:+$'\n'}${text#"$indent"}
		else
			more=no
		fi
	done < "$1"
}
