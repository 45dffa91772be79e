import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { Config } from '../config';
import { resourcePath } from './resource-path';

/** Names the address of a record that a request has created (RFC 9110, 10.2.2). */
@Injectable()
export class LocationInterceptor implements NestInterceptor {
  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response: Response = context.switchToHttp().getResponse();
    const address = this.config.publicUrl + resourcePath(context);
    return next.handle().pipe(tap(({ data: { id } }: { data: { id: number } }) => response.setHeader('Location', `${address}/${id}`)));
  }
}
