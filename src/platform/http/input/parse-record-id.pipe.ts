import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { RequestError } from '../../common/errors';

/** A record id in the path. Clamped to MAX_SAFE_INTEGER, which no id reaches, because a long digit string would become Infinity. */
@Injectable()
export class ParseRecordIdPipe implements PipeTransform<string, number> {
  transform(digits: string, { data: name = 'id' }: ArgumentMetadata): number {
    if (!/^\d+$/.test(digits)) throw RequestError.of('invalid_parameter', `${name} must be an integer, in digits.`, { in: 'path', name });
    return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
  }
}
