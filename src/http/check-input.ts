import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { Source, Violation } from './request-error';

export type RawInput = Readonly<Record<string, unknown>>;

/** Reads raw parameters as a DTO class declares them, and finds all that is wrong with them. */
export function checkInput<T extends object>(dto: Type<T>, raw: RawInput, where: Source['in']): { value: T; violations: Violation[] } {
  const { required, optional } = declaredNames(dto);
  if (required.size === 0 && Object.keys(raw).length === 0) return { value: new dto(), violations: [] }; // most requests: nothing to read
  const violation = (code: Violation['code'], name: string, detail: string): Violation => ({ code, detail, source: { in: where, name } });
  const violations: Violation[] = [];
  const texts: Record<string, string> = {};

  for (const name of Object.keys(raw)) {
    const known = required.has(name) || optional.has(name);
    if (!known) violations.push(violation('unknown_parameter', name, unknownDetail(name, [...required, ...optional])));
    else if (Array.isArray(raw[name])) violations.push(violation('invalid_parameter', name, `${name} must be given once.`));
    else if (!isCleanText(raw[name])) violations.push(violation('invalid_parameter', name, `${name} must be text in valid UTF-8.`));
    else texts[name] = raw[name];
  }
  for (const name of required) {
    if (Object.hasOwn(raw, name) && raw[name] !== '') continue;
    violations.push(violation('missing_parameter', name, `${name} is required.`));
    delete texts[name];
  }

  const value = plainToInstance(dto, texts);
  for (const { property, constraints } of validateSync(value, { stopAtFirstError: true })) {
    if (texts[property] === undefined) continue; // reported above, or absent
    violations.push(violation('invalid_parameter', property, Object.values(constraints ?? {})[0]));
  }
  return { value, violations };
}

/** The replacement character is what a decoder leaves where the bytes were not UTF-8. */
function isCleanText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\uFFFD') && value.isWellFormed();
}

function unknownDetail(name: string, accepted: string[]): string {
  const shown = /^[\w.[\]-]{1,64}$/.test(name) ? name : 'A name in this request';
  return `${shown} is not known here; ${accepted.length ? `accepted: ${accepted.join(', ')}` : 'this request takes no parameters'}.`;
}

const declared = new Map<Type, { required: Set<string>; optional: Set<string> }>();

/** The properties that class-validator knows of a class; PartialType and OptionalField mark those that may be left out. */
function declaredNames(dto: Type) {
  let names = declared.get(dto);
  if (!names) {
    const all = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const optional = new Set(all.filter((rule) => rule.type === 'conditionalValidation').map((rule) => rule.propertyName));
    const required = new Set(all.map((rule) => rule.propertyName).filter((name) => !optional.has(name)));
    names = { required, optional };
    declared.set(dto, names);
  }
  return names;
}
