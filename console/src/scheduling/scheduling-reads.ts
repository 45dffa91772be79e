import type { Api, Schemas } from '../api/api';
import type { Query } from '../lists/list-query';
import type { Day } from './days';

export type Appointment = Schemas['AgendamentosRecord'];
export type Attendant = Schemas['AtendentesRecord'];
export type Service = Schemas['ServicosRecord'];
export type TimeSlot = Schemas['HorariosRecord'];

interface Records {
  agendamentos: Appointment;
  atendentes: Attendant;
  horarios: TimeSlot;
  servicos: Service;
}

/** A record with the `id` that the console's lists need. */
export type Listed<R> = R & { id: number };

export interface DayOfAppointments {
  day: Day;
  appointments: Listed<Appointment>[];
  /** All appointments of the day, including those not shown. */
  total: number;
}

const GET_ID: { [C in keyof Records]: (record: Records[C]) => number } = {
  agendamentos: ({ agendamento_id }) => agendamento_id,
  atendentes: ({ atendentes_id }) => atendentes_id,
  horarios: ({ horarios_id }) => horarios_id,
  servicos: ({ servicos_id }) => servicos_id,
};
/** Appointments shown per day. */
const MAX_PER_DAY = 100;
/** Maximum suggestions per field. */
const MAX_SUGGESTIONS = 250;

/** A page of a collection. `query` has the API's own parameters. */
export async function readRecords<C extends keyof Records>(api: Api, collection: C, query: Query, signal: AbortSignal) {
  const page = { page: 1, ...query, api: collection } as { api: C };
  const { data, meta } = (await api.get('/scheduling', { query: page, signal })) as unknown as {
    data: Records[C][];
    meta: Schemas['PageMeta'];
  };
  return { data: data.map((record) => ({ ...record, id: GET_ID[collection](record) })), meta };
}

/** The appointments of each day, by time. */
export function readDays(api: Api, days: readonly Day[], filters: Query, signal: AbortSignal): Promise<DayOfAppointments[]> {
  return Promise.all(
    days.map(async (day) => {
      const query = { ...filters, 'data-hora': day, orderby: 'data-hora', results_per_page: String(MAX_PER_DAY) };
      const { data, meta } = await readRecords(api, 'agendamentos', query, signal);
      return { day, appointments: data, total: meta.total };
    }),
  );
}

/** Names of attendants, available or not, and of services. */
export async function readChoices(api: Api, signal: AbortSignal): Promise<{ attendants: string[]; services: string[] }> {
  const most = String(MAX_SUGGESTIONS);
  const [attendants, services] = await Promise.all([
    readRecords(api, 'atendentes', { 'atendente-diponivel': '', orderby: 'atendente-nome', results_per_page: most }, signal),
    readRecords(api, 'servicos', { orderby: 'servico-nome', results_per_page: most }, signal),
  ]);
  return {
    attendants: [...new Set(attendants.data.map(({ atendente_nome }) => atendente_nome))],
    services: [...new Set(services.data.map(({ servico_nome }) => servico_nome))],
  };
}
