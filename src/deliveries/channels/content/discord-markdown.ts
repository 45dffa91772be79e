/**
 * Backslashes before everything that Discord reads as Markdown, a mention, a timestamp or an emoji: any character of these forms,
 * the `:` of `:smile:` and `https://`, and the marks of lists at the start of a line. Discord removes a backslash before any ASCII
 * punctuation. A URL in the text becomes plain text: as a link, it would lead to an address with the backslashes.
 * https://docs.discord.com/developers/reference#message-formatting
 */
export function escapeDiscord(text: string): string {
  return text.replace(/[\\*_~|`<>[\]@#]|:(?=\/\/|[^\s:]+:)|(?<=^[^\S\n]*)[-+]|(?<=^[^\S\n]*\d+)\./gm, '\\$&');
}

/**
 * Discord links a bare URL and reads no markup in it, but knows only lower-case schemes, and ends it at `<`, where a mention could
 * begin. URL parsers read the result as the same URL: they lower the scheme and encode angle brackets themselves.
 */
export function discordUrl(url: string): string {
  return url
    .replace(/^https?/i, (scheme) => scheme.toLowerCase())
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E');
}
