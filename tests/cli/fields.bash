# Compares the tables of a page of the docs with the JSON that the program writes.

section() { # heading -> the lines of $PAGE under it, up to the next heading of its level or above
    awk -v name="$1" '/^#+ / { at = match($0, / /)
                               if ($0 ~ "^#+ " && substr($0, at + 1) == name) { inside = 1; level = at; next }
                               if (at <= level) inside = 0 } inside' "$PAGE"
}

keys() { # JSON -> its keys that are fields; those that are names of ours have a '/', '.' or '-'
    grep -ohE '^ *"[A-Za-z_0-9]+":' "$@" | tr -d ' ":' | sort -u
}

fields() { # tables -> the fields in their first columns: the last parts of `a.NAME.b`
    sed -n 's/^| \(`[^|]*`\) |.*/\1/p' | grep -oE '`[^`]+`' | tr -d '`' | sed 's/.*\.//' | sort -u
}

# Fails unless the section names every key, and has no field that is not among them.
agree() { # heading, JSON files
    local heading=$1 key text
    shift
    text=$(section "$heading")
    for key in $(keys "$@"); do
        grep -qE "[\`.\"]${key}[][\`.\"]" <<<"$text" || { echo "'$heading' does not name '$key'"; return 1; }
    done
    for key in $(fields <<<"$text"); do
        keys "$@" | grep -qx "$key" || { echo "'$heading' has '$key', the JSON has not"; return 1; }
    done
}
