import type { OperationObject } from '@nestjs/swagger';
import type { Handler } from './handlers';

const ARTICLES = /\b(?:a|an|the)\b/g;

/** Operation ids: each once, and such that a client can have a method of this name. */
export class OperationIds {
  private readonly taken = new Set<string>();

  next({ summary = '' }: OperationObject, { controller, method, operationId }: Handler, isAlias: boolean): string {
    const id = (operationId ?? (camelCase(summary) || camelCase(`${wordsOf(method)} ${wordsOf(controller)}`))) + (isAlias ? 'Alias' : '');
    const candidates = [id, id + pascalCase(wordsOf(controller))];
    for (let number = 2; this.taken.has(candidates[0]); number++) {
      candidates.shift();
      candidates.push(`${id}${number}`);
    }
    this.taken.add(candidates[0]);
    return candidates[0];
  }
}

/** `findAllWidgets` is `Find all widgets`. */
export function sentenceOf(operationId: string): string {
  const words = wordsOf(operationId).toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function pascalCase(text: string): string {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g) ?? [];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** `Read a notification handler` is `readNotificationHandler`; empty when no name can begin so. */
function camelCase(text: string): string {
  const name = pascalCase(text.toLowerCase().replace(ARTICLES, ''));
  return /^[A-Za-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : '';
}

function wordsOf(identifier: string): string {
  return identifier.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
}
