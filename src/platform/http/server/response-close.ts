import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Emitted on a response to free its AdmissionGuard slot: by a handler, or with the headers, so that a slow client doesn't hold it. */
export const WORK_ENDS = 'work ends';

/** By connection: the last response that did not have to wait for another. Weak, so that an idle connection doesn't retain it. */
const immediateResponses = new WeakMap<Duplex, WeakRef<ServerResponse>>();
/** Responses to pipelined requests, which wait for earlier ones. */
const queuedResponses = new WeakMap<Duplex, Set<ServerResponse>>();

/** Calls back once the response is sent or its connection has ended; immediately if that has already happened, since no `close` will follow. */
export function onClose(response: ServerResponse, callback: () => void): void {
  if (response.destroyed) callback();
  else response.once('close', callback);
}

/**
 * Listener for `request`. When a connection ends, Node emits `close` only on the response it was sending; the responses to
 * pipelined requests behind it get their `close` here.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket) {
    immediateResponses.set(socket, new WeakRef(response));
    return;
  }
  const responses = queuedResponses.get(socket) ?? trackQueued(socket);
  responses.add(response);
  response.once('close', () => responses.delete(response));
}

/** The response that is being sent on the connection, recognized by its socket, which Node detaches once a response is sent. */
export function currentResponse(socket: Duplex): ServerResponse | undefined {
  return [immediateResponses.get(socket)?.deref(), ...(queuedResponses.get(socket) ?? [])].find((response) => response?.socket);
}

function trackQueued(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  queuedResponses.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) response.destroy().emit('close');
  });
  return responses;
}
