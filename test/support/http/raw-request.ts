import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface RawRequest {
  method: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: Buffer | string;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * Sends just these bytes and headers, where a comfortable client would add its own. A GET whose kept-alive connection the server closed
 * meanwhile is sent again (RFC 9110, 9.2.2): it's closed after a second without a request when a server drains, and a test may pause longer.
 */
export async function sendRaw(port: number, { method, path, headers, body }: RawRequest, agent?: Agent): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      text(response).then(
        (content) => resolve({ status: response.statusCode!, headers: response.headers as Record<string, string>, text: content }),
        reject,
      );
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isRepeated = method === 'GET' && agent && sent.reusedSocket && error.code === 'ECONNRESET';
      if (isRepeated) resolve(sendRaw(port, { method, path, headers, body }, agent));
      else reject(error);
    });
    sent.end(body);
  });
}
