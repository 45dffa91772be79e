import type { OperationObject } from '@nestjs/swagger';

/** The method that answers an operation, and its controller's name without `Controller`. */
export interface Handler {
  controller: string;
  method: string;
  /** Set when the route gives one itself. */
  operationId?: string;
}

/**
 * Finds the handler of an operation. `@nestjs/swagger` asks for an operation id once for each path of each handler, one
 * handler after the other, and names all but the first path by `<method>[<index>]`: each gets a key here.
 */
export class OpenApiHandlers {
  private readonly handlers = new Map<string, Handler>();
  private latest?: Handler;

  readonly operationKey = (controllerName: string, methodKey: string): string => {
    const [, method, index] = /^(.*?)(?:\[(\d+)\])?$/.exec(methodKey)!;
    if (!this.latest || !Number(index)) this.latest = { controller: controllerName.replace(/Controller$/, ''), method };
    const key = `handler:${this.handlers.size}`;
    this.handlers.set(key, this.latest);
    return key;
  };

  /** An operation with an `operationId` of its own has no key; that id names its handler just as well. */
  of({ operationId = '' }: OperationObject): Handler {
    const key = operationId.replace(/^(handler:\d+)_[a-z]+$/, '$1'); // @All() appends the verb
    const handler = this.handlers.get(key) ?? { controller: '', method: '', operationId };
    this.handlers.set(key, handler);
    return handler;
  }
}
