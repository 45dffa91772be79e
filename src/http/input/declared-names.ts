import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { isField } from './field';
import type { Source, Violation } from '../errors/request-error';

interface DeclaredNames {
  required: Set<string>;
  optional: Set<string>;
  hasFieldsOnly: boolean;
}

const declared = new Map<Type, DeclaredNames>();

/** The properties that have class-validator rules; PartialType and OptionalField mark those that may be left out. */
export function declaredNames(dto: Type): DeclaredNames {
  let names = declared.get(dto);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const namesIn = (some: typeof rules) => new Set(some.map((rule) => rule.propertyName));
    const optional = namesIn(rules.filter(({ type }) => type === 'conditionalValidation'));
    const required = namesIn(rules.filter(({ propertyName }) => !optional.has(propertyName)));
    names = { required, optional, hasFieldsOnly: namesIn(rules.filter(isField)).size === required.size + optional.size };
    declared.set(dto, names);
  }
  return names;
}

/** Whether class-validator knows anything of a class. */
export function isValidated(type: Type): boolean {
  const { required, optional } = declaredNames(type);
  return required.size + optional.size > 0;
}

/** Whether all properties of a DTO are declared by `@Field` or `@OptionalField`: those read texts, whatever the content type. */
export function hasFieldsOnly(dto: Type): boolean {
  return declaredNames(dto).hasFieldsOnly;
}

/** The names that a DTO does not declare. */
export function findUnknown(dto: Type, raw: object, where: Source['in']): Violation[] {
  const { required, optional } = declaredNames(dto);
  const unknown = Object.keys(raw).filter((name) => !required.has(name) && !optional.has(name));
  return unknown.map((name) => unknownName(dto, name, where));
}

export function unknownName(dto: Type, name: string, where: Source['in']): Violation {
  const { required, optional } = declaredNames(dto);
  const accepted = [...required, ...optional];
  const shown = /^[\w.[\]-]{1,64}$/.test(name) ? name : 'A name in this request';
  const detail = `${shown} is not known here; ${accepted.length ? `accepted: ${accepted.join(', ')}` : 'this request takes no parameters'}.`;
  return { code: 'unknown_parameter', detail, source: { in: where, name } };
}
