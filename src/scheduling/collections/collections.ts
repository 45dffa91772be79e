import { AGENDAMENTOS } from './agendamentos.collection';
import { ATENDENTES } from './atendentes.collection';
import { ATENDENTESERVICO } from './atendenteservico.collection';
import type { Collection } from './collection';
import { HORARIOS } from './horarios.collection';
import { SERVICOS } from './servicos.collection';

/** The values of `api`. */
export const COLLECTIONS: readonly Collection[] = [
  AGENDAMENTOS,
  ATENDENTES,
  ATENDENTESERVICO,
  HORARIOS,
  SERVICOS, // in the order of messages and of the OpenAPI document
];
