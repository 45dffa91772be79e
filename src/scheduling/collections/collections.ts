import { AGENDAMENTOS } from './agendamentos.collection';
import { ATENDENTES } from './atendentes.collection';
import { ATENDENTESERVICO } from './atendenteservico.collection';
import type { Collection } from './collection';
import { HORARIOS } from './horarios.collection';
import { SERVICOS } from './servicos.collection';

/** The values of `api`. */
export const COLLECTIONS: readonly Collection[] = [
  // in the order used in messages and in the OpenAPI document
  AGENDAMENTOS,
  ATENDENTES,
  ATENDENTESERVICO,
  HORARIOS,
  SERVICOS,
];
