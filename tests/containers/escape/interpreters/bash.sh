declare -A c
while read -r key value; do c[$key]=$value; done
attempt() { local what=$1 got; shift; if got=$("$@" 2>&1) && [[ -n $got ]]; then echo "ESCAPED $what $got"; else echo "HELD $what"; fi; }
connect() { exec 9<>"/dev/tcp/127.0.0.1/${c[tcp]}" && echo connected; }
write() { echo x >"${c[world]}/${c[mark]}" && echo written; }
reach() { kill -0 "${c[pid]}" && echo reached; }
environment() { printenv "${c[env]}"; }
others() { local line; read -r line <"/proc/${c[pid]}/status" && echo "$line"; }
attempt file cat "${c[file]}"
attempt answer cat "${c[answer]}"
attempt environment environment
attempt write write
attempt connect connect
attempt signal reach
attempt others others
