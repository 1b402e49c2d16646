/* html.c: what all pages share: head, style, policy. */
#include "report/html.h"
#include "report/report_text.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <string.h>

/* Contrast is at least 4.5:1 in both schemes; what colour says is also said in words. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--line:#d0d7de;"
    "--box:#f6f8fa;--good:#116329;--part:#7d4e00;--bad:#a40e26;--bar:#0a5fb4;--ideal:#6e7781;"
    "--mark:#fff3c4}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9ea7b3;--paper:#0d1117;"
    "--line:#3d444d;--box:#161b22;--good:#56d364;--part:#e3b341;--bad:#ff8b8b;--bar:#6cb6ff;"
    "--ideal:#9ea7b3;--mark:#3f3205}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}\n"
    "main,header,footer{max-width:64rem;margin:0 auto;padding:0 1rem}\n"
    "h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid "
    "var(--line)}\n"
    "h3{font-size:1rem;margin:1.5rem 0 .5rem}\n"
    "p,li,td{overflow-wrap:anywhere}\n"
    ".said{white-space:pre-wrap}\n"
    ".soft{color:var(--soft)}.good{color:var(--good)}.part{color:var(--part)}"
    ".bad{color:var(--bad)}\n"
    ".box{overflow-x:auto;border:1px solid var(--line);border-radius:6px;margin:.5rem 0}\n"
    ".box:focus{outline:3px solid var(--bar)}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "caption{text-align:left;padding:.5rem;color:var(--soft)}\n"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-top:1px solid "
    "var(--line)}\n"
    "th{font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}\n"
    "th button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;"
    "cursor:pointer;text-decoration:underline}\n"
    "th[aria-sort=ascending] button::after{content:\" \\2191\"}\n"
    "th[aria-sort=descending] button::after{content:\" \\2193\"}\n"
    ".check{border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;margin:.5rem 0}\n"
    ".check p,.check h3{margin:.25rem 0}\n"
    ".source td{border:0;padding:0 .5rem;font:.85rem/1.4 ui-monospace,monospace;white-space:pre;"
    "overflow-wrap:normal}\n"
    ".source td.line{color:var(--soft);text-align:right}\n"
    ".source td.cost{color:var(--soft)}\n"
    ".source tr.worst td{background:var(--mark)}\n"
    "svg{max-width:100%;height:auto;display:block}\n"
    "svg text{fill:var(--ink);font:13px system-ui,sans-serif}\n"
    "a{color:var(--bar)}\n"
    ".charts{display:flex;flex-wrap:wrap;gap:1rem}\n"
    ".charts figure{margin:0;flex:1 1 16rem;min-width:0;max-width:22rem}\n"
    "@media print{.box{overflow:visible}a{color:inherit}}\n";

/* The script's SHA-256 in base64, as the policy wants it. */
static void write_script_digest(FILE *stream, const char *script)
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1];
    sha256_init(&context);
    sha256_update(&context, strlen(script), (const uint8_t *)script);
    sha256_digest(&context, sizeof digest, digest);
    base64_encode_raw(text, sizeof digest, digest);
    text[sizeof text - 1] = 0;
    fprintf(stream, "; script-src 'sha256-%s'", text);
}

void html_begin(FILE *stream, const char *title, const char *script)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'",
          stream);
    if (script)
        write_script_digest(stream, script);
    fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          stream);
    report_markup(stream, "<title>%s</title>\n", title);
    fputs("<style>\n", stream);
    fputs(style, stream);
    fputs("</style>\n</head>\n<body>\n", stream);
}

void html_end(FILE *stream, const char *script)
{
    fputs("</main>\n", stream);
    if (script)
        fprintf(stream, "<script>%s</script>\n", script);
    fputs("</body>\n</html>\n", stream);
}
