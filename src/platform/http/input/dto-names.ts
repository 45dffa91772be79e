import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, IS_OPTIONAL, ValidationTypes } from 'class-validator';

interface DtoNames {
  required: Set<string>;
  optional: Set<string>;
}

const namesByDto = new WeakMap<Type, DtoNames>();

/** The properties that have class-validator rules; `@IsOptional()` marks the optional ones. */
export function namesOf(dto: Type): DtoNames {
  const cached = namesByDto.get(dto);
  if (cached) return cached;
  const optional = new Set(conditionsOf(dto).map(({ propertyName }) => propertyName));
  const names = rulesOf(dto).map(({ propertyName }) => propertyName);
  const result = { required: new Set(names.filter((name) => !optional.has(name))), optional };
  namesByDto.set(dto, result);
  return result;
}

const acceptsEmptyByDto = new WeakMap<Type, boolean>();

/** Whether an input without values would pass the ValidationPipe as a new, untransformed object. */
export function acceptsEmpty(dto: Type): boolean {
  const cached = acceptsEmptyByDto.get(dto);
  if (cached !== undefined) return cached;
  const { required, optional } = namesOf(dto);
  const isOptional = required.size === 0 && optional.size > 0 && conditionsOf(dto).every(({ name }) => name === IS_OPTIONAL);
  // @Expose and @Transform may add values.
  const isAccepted = isOptional && isDeepStrictEqual(plainToInstance(dto, {}), new dto());
  acceptsEmptyByDto.set(dto, isAccepted);
  return isAccepted;
}

function rulesOf(dto: Type) {
  return getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
}

/** `@IsOptional()` and `@ValidateIf()`. */
function conditionsOf(dto: Type) {
  return rulesOf(dto).filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
}
