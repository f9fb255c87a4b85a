# Man pages of section 3 from public headers: one page a header, and for each function a page that leads there.
#
#   awk -v folder=man3 -v version=0.2.0 -f man_pages.awk include/tcplan/*.h
#
# Reads what the headers keep to: a comment on top, /** */ in front of every function, struct and enum, with @param and @return, and /**< */ behind a member.

function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# Prose: what stands between ` is bold.
function prose(text, out, begin, rest) {
    out = ""
    while ((begin = index(text, "`")) > 0) {
        rest = substr(text, begin + 1)
        if (index(rest, "`") == 0) break
        out = out plain(substr(text, 1, begin - 1)) "\\fB" plain(substr(rest, 1, index(rest, "`") - 1)) "\\fR"
        text = substr(rest, index(rest, "`") + 1)
    }
    out = out plain(text)
    if (out ~ /^[.']/) out = "\\&" out
    return out
}

# A comment as roff: paragraphs, indented examples, lists, parameters, what is returned.
function body(text, n, line, i, verbatim, in_list, name, rest) {
    n = split(text, line, "\n")
    verbatim = in_list = 0
    for (i = 1; i <= n; i++) {
        if (verbatim && line[i] !~ /^  /) { emit(".fi"); emit(".RE"); verbatim = 0 }
        if (line[i] == "" || line[i] ~ /^(@|- )/ || (line[i] ~ /^  / && !in_list)) finish_paragraph()
        if (line[i] == "") {
            if (i < n && line[i + 1] !~ /^@|^  /) emit(".PP")
            in_list = 0
        } else if (line[i] ~ /^@param/) {
            rest = line[i]; sub(/^@param(\[[a-z,]*\])? +/, "", rest)
            name = rest; sub(/ .*/, "", name)
            sub(/^[^ ]+ */, "", rest)
            emit(".TP"); emit(".I " plain(name))
            paragraph = rest
            in_list = 1
        } else if (line[i] ~ /^@return/) {
            rest = line[i]; sub(/^@return +/, "", rest)
            emit(".TP"); emit(".B returns")
            paragraph = rest
            in_list = 1
        } else if (line[i] ~ /^- /) {
            emit(".IP \\(bu 2")
            paragraph = substr(line[i], 3)
            in_list = 1
        } else if (line[i] ~ /^  / && !in_list) {
            if (!verbatim) { emit(".PP"); emit(".RS"); emit(".nf"); verbatim = 1 }
            emit(plain_line(substr(line[i], 3)))
        } else {
            rest = line[i]; sub(/^ +/, "", rest)
            paragraph = paragraph (paragraph == "" ? "" : " ") rest
        }
    }
    finish_paragraph()
    if (verbatim) { emit(".fi"); emit(".RE") }
}

function finish_paragraph() {
    if (paragraph != "") emit(prose(paragraph))
    paragraph = ""
}

function plain_line(text) {
    text = plain(text)
    return text ~ /^[.']/ ? "\\&" text : text
}

function emit(text) { page = page text "\n" }

# A declaration on lines of at most some 80 columns, broken behind commas.
function declaration(text, n, part, i, line) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^TCPLAN_API /, "", text)
    n = split(text, part, ", ")
    line = part[1]
    for (i = 2; i <= n; i++) {
        if (length(line) + length(part[i]) > 76) { emit(plain_line(line ",")); line = "    " part[i] }
        else line = line ", " part[i]
    }
    emit(plain_line(line))
}

function function_name(text) {
    sub(/\(.*/, "", text)
    sub(/^.*[ *]/, "", text)
    return text
}

# The members of a struct or enum: what is declared, and what is said in front of it or behind it.
function members(text, end, said) {
    end = text ~ /^enum/ ? "," : ";"
    sub(/^[^{]*\{/, "", text)
    sub(/\}[^}]*$/, "", text)
    gsub(/\n[ \t]*\*( |$)/, "\n ", text)
    gsub(/[ \t\n]+/, " ", text)
    said = ""
    while (text ~ /[^ ]/) {
        sub(/^ /, "", text)
        if (text ~ /^\/\*\*</) { emit(prose(comment_text(text))); text = behind_comment(text) }
        else if (text ~ /^\/\*/) { said = comment_text(text); text = behind_comment(text) }
        else {
            text = member(text, end)
            if (said != "") { emit(prose(said)); said = "" }
        }
    }
}

function comment_text(text) {
    text = substr(text, 1, index(text, "*/") - 1)
    sub(/^\/\*+<? */, "", text)
    sub(/ $/, "", text)
    return text
}

function behind_comment(text) { return substr(text, index(text, "*/") + 2) }

# Emits the declaration that `text` begins with; returns what is behind it. In an enum the last one ends with a comment or with the text.
function member(text, end, at, comment, name) {
    at = index(text, end)
    comment = index(text, "/*")
    if (!at || (comment && comment < at)) { name = substr(text, 1, comment ? comment - 1 : length(text)); text = comment ? substr(text, comment) : "" }
    else { name = substr(text, 1, at - 1) (end == ";" ? ";" : ""); text = substr(text, at + 1) }
    sub(/ +$/, "", name)
    if (name != "") { emit(".TP"); emit(".B " plain_line(name)) }
    return text
}

function finish_header(i, names, file, summary, rest) {
    if (header == "") return
    page = ""
    names = ""
    for (i = 1; i <= functions; i++) names = names (i > 1 ? ", " : "") function_name(function_text[i])
    if (names == "") names = page_name(header)
    rest = overview
    summary = rest; sub(/\n\n.*/, "", summary); gsub(/\n/, " ", summary)
    sub(/\..*/, "", summary)
    emit(".TH " toupper(page_name(header)) " 3 \"\" \"tcplan " version "\" \"Library functions\"")
    emit(".SH NAME")
    emit(plain(names) " \\- " plain(tolower(substr(summary, 1, 1)) substr(summary, 2)))
    emit(".SH SYNOPSIS"); emit(".nf"); emit(".B #include <tcplan/" header ".h>")
    if (functions) emit(".PP")
    for (i = 1; i <= functions; i++) declaration(function_text[i])
    emit(".fi"); emit(".PP"); emit("Compile and link with the flags that"); emit(".B pkg\\-config \\-\\-cflags \\-\\-libs tcplan"); emit("prints.")
    emit(".SH DESCRIPTION")
    body(rest)
    if (types) emit(".SH TYPES")
    for (i = 1; i <= types; i++) {
        emit(".SS " plain(type_name[i]))
        body(type_doc[i])
        members(type_text[i])
    }
    if (functions) emit(".SH FUNCTIONS")
    for (i = 1; i <= functions; i++) {
        emit(".SS " function_name(function_text[i]) "()")
        body(function_doc[i])
    }
    emit(".SH SEE ALSO")
    emit(".BR tcplan (1)" see_also(header))
    file = folder "/" page_name(header) ".3"
    printf "%s", page > file
    close(file)
    for (i = 1; i <= functions; i++) {
        if (function_name(function_text[i]) == page_name(header)) continue
        file = folder "/" function_name(function_text[i]) ".3"
        printf ".so man3/%s.3\n", page_name(header) > file
        close(file)
    }
}

function page_name(header) { return header == "tcplan" ? header : "tcplan_" header }

function see_also(header, i, out) {
    out = ""
    for (i = 1; i < ARGC; i++) {
        if (ARGV[i] !~ /\.h$/) continue
        name = ARGV[i]; sub(/^.*\//, "", name); sub(/\.h$/, "", name)
        if (name != header && name != "export" && name != "version") out = out "\n.BR " page_name(name) " (3)"
    }
    gsub(/\)\n/, "),\n", out)
    return (out == "" ? "" : ",") out
}

FNR == 1 {
    finish_header()
    header = FILENAME; sub(/^.*\//, "", header); sub(/\.h$/, "", header)
    overview = doc = text = ""
    functions = types = 0
    state = "code"
}

state == "comment" {
    line = $0
    ends = line ~ /\*\//
    sub(/[ \t]*\*\/.*$/, "", line)
    sub(/^[ \t]*\*? ?/, "", line)
    if (!(ends && line == "")) doc = doc (doc == "" ? "" : "\n") line
    if (ends) { state = "code"; if (overview == "") { overview = doc; doc = "" } }
    next
}

state == "function" {
    text = text " " $0
    if ($0 ~ /;/) { function_text[functions] = text; state = "code" }
    next
}

state == "type" {
    text = text "\n" $0
    if ($0 ~ /^}/) { type_text[types] = text; state = "code" }
    next
}

/^\/\*\*/ {
    doc = $0
    sub(/^\/\*\* */, "", doc)
    if (doc ~ /\*\//) { sub(/ *\*\/.*$/, "", doc); if (overview == "") { overview = doc; doc = "" } }
    else state = "comment"
    next
}

/^TCPLAN_API / {
    functions++
    function_doc[functions] = doc; doc = ""
    text = $0
    if ($0 ~ /;/) function_text[functions] = text
    else state = "function"
    next
}

/^(struct|enum) tcplan_[a-z_]* \{/ || /^enum \{/ || /^struct tcplan_[a-z_]*;/ || /^typedef / {
    if (/^struct tcplan_[a-z_]*;/ && doc == "") next # named only
    types++
    type_doc[types] = doc; doc = ""
    type_text[types] = $0
    name = $0
    if (/^typedef /) { sub(/^.* \*?/, "", name); match($0, /tcplan_[a-z_]*_fn/); name = substr($0, RSTART, RLENGTH) }
    else if (/^enum \{/) { sub(/^enum \{ */, "", name); sub(/ *\};.*$/, "", name) }
    else { sub(/ *[{;].*$/, "", name) }
    type_name[types] = name
    if (/\{/ && !/\};/) { state = "type"; text = $0 }
    if (/^enum \{/) type_text[types] = "" # a constant: its name says all
    next
}

END { finish_header() }
