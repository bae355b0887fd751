#!/bin/sh
# Collects what decides how RoCE works on this host, and writes it to standard output as a tar that
# `roce-lint check` reads: one file a command, whose first line says which command, host and time.
#
#   sh collect.sh > gpu-017.tar
#
# It only reads: it writes no file, loads no module, starts no daemon and no session with firmware,
# and makes no directory in configfs. A tool that is not there, not permitted or too slow is noted
# in collector.log and left out. Root sees more (settings of firmware, configfs, what lldpd knows).
# It takes no keys and passwords, and of environments only the variables of NCCL, RCCL, UCX, NVSHMEM
# and their like.
#
#   ROCE_LINT_HOST=NAME      what the host is called, where `uname -n` is not its name
#   ROCE_LINT_ROOT=/host     where the host's /etc and /sys are, as seen from a container
#   ROCE_LINT_COUNTERS=10    counters too: twice, so many seconds apart
set -u
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin:/opt/mellanox/iproute2/sbin:/opt/mellanox/ethtool/sbin
export LC_ALL PATH

SHORT=5         # seconds for a command
LONG=20         # seconds for one that asks the firmware
WHOLE=300       # seconds after which nothing new is asked
LARGEST=2097152 # bytes of one output; a larger one is left out

root=${ROCE_LINT_ROOT:-}
name=$(printf '%s' "${ROCE_LINT_HOST:-$(uname -n)}" | tr -c 'A-Za-z0-9._-' '_')
begun=$(date '+%s')
log=''

now() { date -u '+%Y-%m-%dT%H:%M:%SZ'; }

note() { # WHAT TEXT
    log="$log$1: $2
"
}

has() { command -v "$1" > /dev/null 2>&1; }

# ------------------------------------------------------------------------------------ writing a tar

# The header of a member in the form "ustar" of POSIX pax, as a format for printf: awk cannot write
# the character NUL everywhere, printf can.
header() { # FILE SIZE
    awk -v file="$1" -v size="$2" -v time="$(date '+%s')" '
        function nuls(count,   text) { text = ""; while (count-- > 0) text = text "\\000"; return text }
        function field(text, width) {
            for (at = 1; at <= length(text); at++) sum += code[substr(text, at, 1)]
            return text nuls(width - length(text))
        }
        BEGIN {
            for (at = 32; at < 127; at++) code[sprintf("%c", at)] = at
            sum = 8 * 32 # the sum itself counts as blanks
            before = field(file, 100) field("0000644", 8) field("0000000", 8) field("0000000", 8)
            before = before field(sprintf("%011o", size), 12) field(sprintf("%011o", time), 12)
            after = field("0", 1) nuls(100) field("ustar", 6) field("00", 2) nuls(247)
            printf "%s%06o\\000 %s", before, sum, after
        }'
}

# What fills the last block of a member, as a format for printf.
padding() { # SIZE
    awk -v size="$1" 'BEGIN { for (left = (512 - size % 512) % 512; left > 0; left--) printf "\\000" }'
}

write() { # FILE TEXT
    size=$(printf '%s\n' "$2" | wc -c)
    # shellcheck disable=SC2059  # these are formats: file names have no % and no backslash
    printf "$(header "$name/$1" "$((size))")"
    printf '%s\n' "$2"
    # shellcheck disable=SC2059
    printf "$(padding "$((size))")"
}

keep() { # COMMAND TEXT
    file=$(printf '%s' "$1" | tr -c 'A-Za-z0-9._-' '_' | cut -c 1-80)
    # Two long commands may have one beginning.
    case " $taken " in *" $file "*) count=$((count + 1)) && file=$file-$count ;; esac
    taken="$taken $file"
    write "$file.txt" "# command: $1  host: $name  time: $(now)
$2"
}
taken=''
count=0

# -------------------------------------------------------------------------------- asking for things

limited() { # SECONDS COMMAND...
    seconds=$1
    shift
    if has timeout; then
        timeout "$seconds" "$@" < /dev/null 2> /dev/null
        return
    fi
    "$@" < /dev/null 2> /dev/null &
    asked=$!
    (sleep "$seconds" && kill "$asked") > /dev/null 2>&1 &
    watcher=$!
    wait "$asked"
    ended=$?
    kill "$watcher" 2> /dev/null
    return "$ended"
}

# Runs a command and keeps its output; 0 where there was some.
ask() { # SECONDS COMMAND...
    seconds=$1
    shift
    if ! has "$1"; then
        case " $absent " in *" $1 "*) ;; *) absent="$absent $1" && note "$1" "not installed" ;; esac
        return 1
    fi
    if [ $(($(date '+%s') - begun)) -gt "$WHOLE" ]; then
        note "$*" "not asked: $WHOLE seconds are over"
        return 1
    fi
    output=$(
        {
            limited "$seconds" "$@"
            printf '\n=%s=' "$?"
        } | tr -d '\000' | head -c "$LARGEST"
    )
    case $output in
    *=) ;;
    *) note "$*" "more than $LARGEST bytes, left out" && return 1 ;;
    esac
    ended=${output##*
=}
    ended=${ended%=}
    output=${output%
=*}
    if [ "$ended" != 0 ]; then
        case $ended in
        124 | 143) note "$*" "took more than $seconds seconds" ;;
        *) note "$*" "ended with status $ended" ;;
        esac
    fi
    case $output in
    *[![:space:]]*) keep "$*" "$(printf '%s\n' "$output" | plain)" ;;
    *) return 1 ;;
    esac
}
absent=''

# Paths as the host has them, where its files are seen below a folder.
plain() {
    if [ -n "$root" ]; then sed "s#$root/#/#g"; else cat; fi
}

# What stands in the files below a folder of /sys, each with its path.
tree() { # FOLDER
    [ -d "$root$1" ] || return 1
    found=$(limited "$SHORT" grep -r . "$root$1" | tr -d '\000' | head -c "$LARGEST" | plain)
    [ -n "$found" ] && keep "grep -r . $1" "$found"
}

# A file of settings; lines that hold a secret are left out.
settings() { # FILE
    [ -f "$root$1" ] && [ -r "$root$1" ] || return 1
    text=$(head -c "$LARGEST" "$root$1" | tr -d '\000' | masked)
    keep "cat $1" "$text"
}

masked() {
    sed -e 's/^\([[:space:]]*[A-Za-z0-9_.-]*\([Pp][Aa][Ss][Ss]\|[Pp][Ss][Kk]\|[Ss][Ee][Cc][Rr][Ee][Tt]\|[Tt][Oo][Kk][Ee][Nn]\|[Pp][Rr][Ii][Vv][Aa][Tt][Ee]\)[A-Za-z0-9_.-]*[[:space:]]*[=:]\).*/\1 ***/'
}

JOB='^(NCCL|RCCL|UCX|NVSHMEM|MORI|MC|GLOO|UCC|OMPI_MCA|PMIX_MCA)_'

# ------------------------------------------------------------------------------------- what is there

whole_host() {
    keep hostname "$(uname -n)"
    settings /etc/os-release
    ask "$SHORT" ip -d -j link show || ask "$SHORT" ip -d link show
    ask "$SHORT" ip -j addr show || ask "$SHORT" ip addr show
    ask "$SHORT" rdma -j link show || ask "$SHORT" rdma link show
    ask "$SHORT" ibdev2netdev
    ask "$SHORT" ibv_devinfo -v
    ask "$LONG" show_gids
    ask "$SHORT" lldpcli -f json0 show neighbors details
    ask "$SHORT" devlink -j dev param show
    ask "$LONG" lspci -vvv
    ask "$SHORT" iptables-save
    ask "$SHORT" nft list ruleset
    # The tool for this would make a directory; what is there is read, and nothing there is default.
    tree /sys/kernel/config/rdma_cm
}

one_port() { # NETDEV
    for part in pfc ets buffer dcbx apptrust; do
        ask "$SHORT" dcb -j "$part" show dev "$1" || ask "$SHORT" dcb "$part" show dev "$1"
    done
    ask "$SHORT" dcb -N -j app show dev "$1" || ask "$SHORT" dcb app show dev "$1"
    ask "$SHORT" mlnx_qos -i "$1"
    ask "$SHORT" ethtool "$1"
    ask "$SHORT" ethtool -i "$1"
    ask "$SHORT" ethtool -a "$1"
    ask "$SHORT" ethtool --show-fec "$1"
    ask "$SHORT" ethtool --show-priv-flags "$1"
    tree "/sys/class/net/$1/ecn"
    tree "/sys/class/net/$1/qos"
    if has lldptool; then
        ask "$SHORT" lldptool -t -n -i "$1"
        for tlv in PFC ETS-CFG APP; do ask "$SHORT" lldptool -t -i "$1" -V "$tlv" -c; done
    fi
}

one_adapter() { # RDMA DEVICE, PCI ADDRESS, PCI VENDOR
    class=/sys/class/infiniband/$1/tc/1/traffic_class
    [ -r "$root$class" ] && keep "cat $class" "$(cat "$root$class")"
    case $3 in
    0x15b3)
        ask "$LONG" mlxconfig -d "$2" -e q || ask "$LONG" mstconfig -d "$2" -e q
        ;;
    0x14e4)
        ask "$LONG" niccli --list_devices
        tree "/sys/kernel/config/bnxt_re/$1"
        ;;
    0x1dd8)
        for what in port lif; do ask "$LONG" nicctl show "$what" -j; done
        for what in qos dcqcn; do ask "$LONG" nicctl show "$what"; done
        ;;
    esac
}

# The netdevs of an RDMA device; of a bond its members too, as these hold the QoS.
ports_of() { # RDMA DEVICE
    for port in "$root/sys/class/infiniband/$1"/ports/*; do
        [ "$(cat "$port/link_layer" 2> /dev/null)" = Ethernet ] || continue
        netdev=$(cat "$port/gid_attrs/ndevs/0" 2> /dev/null) || continue
        printf '%s\n' "$netdev"
        for below in "$root/sys/class/net/$netdev"/lower_*; do
            [ -e "$below" ] && printf '%s\n' "${below##*/lower_}"
        done
    done
}

adapters() {
    ports=''
    for device in "$root"/sys/class/infiniband/*; do
        [ -d "$device" ] || continue
        rdma=${device##*/}
        found=$(ports_of "$rdma")
        [ -n "$found" ] || continue
        ports="$ports $found"
        pci=$(cd "$device/device" 2> /dev/null && pwd -P)
        vendor=$(cat "$device/device/vendor" 2> /dev/null)
        one_adapter "$rdma" "${pci##*/}" "$vendor"
    done
    # shellcheck disable=SC2086  # names of netdevs, one word each
    for netdev in $(printf '%s\n' $ports | sort -u); do one_port "$netdev"; done
    [ -n "$ports" ] || note rdma "there is no RDMA device over Ethernet"
}

declared() {
    for file in "$root"/etc/netplan/*.yaml "$root"/etc/systemd/network/*.network \
        "$root"/etc/systemd/network/*.netdev "$root"/etc/systemd/network/*.link \
        "$root"/run/systemd/network/*.network "$root"/etc/NetworkManager/system-connections/* \
        "$root"/etc/sysconfig/network-scripts/ifcfg-* "$root"/etc/modprobe.d/*.conf \
        "$root"/etc/nccl.conf "$root"/etc/rccl.conf "$root"/etc/sysctl.conf \
        "$root"/etc/sysctl.d/*.conf "$root"/var/lib/lldpad/lldpad.conf; do
        [ -f "$file" ] && settings "${file#"$root"}"
    done
    # Units that set QoS, and the scripts they run.
    for unit in "$root"/etc/systemd/system/*.service; do
        [ -f "$unit" ] && grep -Eq "$TOOLS" "$unit" && settings "${unit#"$root"}"
        [ -f "$unit" ] || continue
        # shellcheck disable=SC2013  # words are wanted: the command and its arguments
        for word in $(sed -n 's/^Exec[A-Za-z]*=[-@:+!]*//p' "$unit"); do
            script=$root$word
            case $word in /*) ;; *) continue ;; esac
            [ -f "$script" ] && [ "$(head -c 2 "$script")" = '#!' ] && grep -Eq "$TOOLS" "$script" &&
                settings "$word"
        done
    done
}
TOOLS='mlnx_qos|dcb |niccli|bnxt_setupcc|bnxtqos|nicctl|cma_roce|lldptool|traffic_class|mlxconfig'

job() {
    found=$(env | grep -E "$JOB" | masked)
    [ -n "$found" ] && keep env "$found"
    for process in "$root"/proc/[0-9]*; do
        [ -r "$process/environ" ] || continue
        # Many may not be read, and some are gone by now.
        found=$({ tr '\000' '\n' < "$process/environ"; } 2> /dev/null | grep -E "$JOB" | masked)
        [ -n "$found" ] || continue
        keep "tr '\\0' '\\n' < ${process#"$root"}/environ" "$found"
        return # the ranks of a job have one environment
    done
}

counters() {
    # shellcheck disable=SC2086
    for netdev in $(printf '%s\n' $ports | sort -u); do ask "$SHORT" ethtool -S "$netdev"; done
    for device in "$root"/sys/class/infiniband/*; do
        [ -d "$device" ] || continue
        tree "/sys/class/infiniband/${device##*/}/ports/1/hw_counters"
        tree "/sys/class/infiniband/${device##*/}/ports/1/counters"
    done
}

whole_host
adapters
declared
job
if [ -n "${ROCE_LINT_COUNTERS:-}" ]; then
    counters
    sleep "$ROCE_LINT_COUNTERS"
    counters
fi
note collector "ended after $(($(date '+%s') - begun)) seconds"
write collector.log "# command: roce-lint host-script  host: $name  time: $(now)
$log"
# Two empty blocks end a tar.
# shellcheck disable=SC2059
printf "$(awk 'BEGIN { for (left = 1024; left > 0; left--) printf "\\000" }')"
