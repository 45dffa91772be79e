import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<ServerResponse>>();

/** Calls back once the response is sent or its connection has ended; immediately if that has happened, as no `close` will follow. */
export function onClose(response: ServerResponse, callback: () => void): void {
  if (response.destroyed) callback();
  else response.once('close', callback);
}

/**
 * Listener for `request`. When a connection ends, Node emits `close` only on the response it was sending; the responses to
 * pipelined requests behind it get theirs here.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket) return; // sent at once
  const responses = waiting.get(socket) ?? closedWith(socket);
  responses.add(response);
  response.once('close', () => responses.delete(response));
}

function closedWith(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  waiting.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) response.destroy().emit('close');
  });
  return responses;
}
