/** Parses the text fields of a multipart body; throws on anything unexpected, which is fine outside production. */
export async function formFields(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'])[1];
  const parts = Buffer.concat(chunks).toString().split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(parts.map(fieldOf));
}

function fieldOf(part) {
  const end = part.indexOf('\r\n\r\n');
  const name = /name="([^"]+)"/.exec(part.slice(0, end))[1];
  return [name, part.slice(end + 4, -2)];
}
