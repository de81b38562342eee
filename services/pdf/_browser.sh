#!/bin/sh
# Starts the browser so that everything else on the machine goes before it: _browser.sh <flag>... with
# the program in BROWSER. A process that leads a session may stand in a group of its own (sched(7),
# autogroup), outside of which only the group's niceness counts; inside, Chromium gives its threads a
# higher priority where it may, as root. Both are best effort.
browser=$BROWSER
unset BROWSER
{ echo 10 >/proc/self/autogroup; } 2>/dev/null
command -v nice >/dev/null && exec nice -n 10 "$browser" "$@"
exec "$browser" "$@"
