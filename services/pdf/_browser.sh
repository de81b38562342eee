#!/bin/sh
# Starts the browser: _browser.sh <flag>... with the program in BROWSER, at the priority BROWSER_NICENESS (nice(1)). A
# process that leads a session may stand in a group of its own (sched(7), autogroup), outside of which only the group's
# niceness counts; inside, Chromium gives its threads a higher priority where it may. Both are best effort.
#
# With BROWSER_USER, the id of a user, it runs as that user, who gets the folder of its profile,
# BROWSER_PROFILE: Chromium refuses its sandbox to root.
browser=$BROWSER niceness=$BROWSER_NICENESS user=$BROWSER_USER profile=$BROWSER_PROFILE
unset BROWSER BROWSER_NICENESS BROWSER_USER BROWSER_PROFILE
# A new group begins with 0. The kernel may refuse a second write to any group within 0.1 s.
[ "$niceness" = 0 ] || { echo "$niceness" >/proc/self/autogroup; } 2>/dev/null
if [ -n "$user" ]; then
  chown "$user" "$profile" || exit 1
  as_user="setpriv --reuid=$user --regid=$user --clear-groups --no-new-privs"
  for file in "$browser" "$FONTCONFIG_FILE" "$profile"; do
    $as_user test -r "$file" && continue
    echo "User $user cannot read $file, and as root Chromium has no sandbox" >&2
    exit 1
  done
  set -- $as_user "$browser" "$@"
else
  set -- "$browser" "$@"
fi
command -v nice >/dev/null && exec nice -n "$niceness" "$@"
exec "$@"
