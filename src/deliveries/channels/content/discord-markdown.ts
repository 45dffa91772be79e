/**
 * Escapes Markdown, mentions, timestamps, the `:` of `:smile:` and `https://`, and list markers at the start of a line. Discord drops
 * a backslash before any ASCII punctuation. URLs in the text become plain text, because a link would keep the backslashes.
 * https://docs.discord.com/developers/reference#message-formatting
 */
export function escapeDiscord(text: string): string {
  return text.replace(/[\\*_~|`<>[\]@#]|:(?=\/\/|[^\s:]+:)|(?<=^[^\S\n]*)[-+]|(?<=^[^\S\n]*\d+)\./gm, '\\$&');
}

/**
 * Discord links a bare URL and ignores markup inside, but only with a lower-case scheme, and only up to a `<`, which could start a
 * mention. The result is the same URL: URL parsers lower-case the scheme and encode angle brackets, too.
 */
export function discordUrl(url: string): string {
  return url
    .replace(/^https?/i, (scheme) => scheme.toLowerCase())
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E');
}
