# Reads on stdin which children run: `+ PID MARK LIMIT` when one starts, `- PID` when its launch is over, `.` to end.
# When stdin ends without a `.`, whoever started them has died: kills them, with all that came from them.
trap '' HUP INT TERM
cd /
watched=
while read -r sign pid mark limit; do
    case $sign in
        +) watched="$watched $pid:$mark:$limit" ;;
        -)
            others=
            for one in $watched; do
                [ "${one%%:*}" = "$pid" ] || others="$others $one"
            done
            watched=$others
            ;;
        .) exit ;;
    esac
done

marked() {
    grep -lsF -e "HANDRAIL_CALL=$1" /proc/[0-9]*/environ
    grep -lsF -e " $2 " /proc/[0-9]*/limits
}

for one in $watched; do
    kill -KILL "-${one%%:*}"
    marks=${one#*:}
    # Until two looks in a row find none: one may have forked meanwhile, and ended before it was looked at, its fork not
    # in the list yet. Not for ever: a zombie keeps its limits.
    before=any
    for attempt in 1 2 3 4 5; do
        found=$(marked "${marks%%:*}" "${marks#*:}")
        [ "$found$before" ] || break
        before=$found
        for file in $found; do
            process=${file#/proc/}
            kill -KILL "${process%%/*}"
        done
    done
done
