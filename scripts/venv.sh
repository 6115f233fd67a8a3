# Sourced by the other scripts. `ensure_venv EXTRAS` makes .venv with the package (editable) and the named extras in it,
# and does nothing when that is already so; afterwards $PY is its python.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "no Python 3.11 or later found; set PYTHON=/path/to/python" >&2
    return 1
}

ensure_venv() {
    local extras="$1" stamp
    stamp=".venv/has-${extras//,/-}"
    PY=.venv/bin/python
    if [ ! -x "$PY" ]; then
        local python
        python="$(find_python)"
        echo "making .venv with $("$python" --version)" >&2
        "$python" -m venv .venv
    fi
    if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ]; then
        echo "installing lucid-torch${extras:+ with $extras} into .venv" >&2
        "$PY" -m pip install --quiet --disable-pip-version-check --editable ".${extras:+[$extras]}"
        touch "$stamp"
    fi
}
