import { type Sandbox, startSandbox } from 'frontdesk/testing';
import { DataSource } from 'typeorm';

export interface Appointment {
  id?: number;
  data_hora: string;
  nome?: string;
  telefone?: string;
  servico?: number;
  atendente?: number;
}

export interface Answer<T = never> {
  status: number;
  headers: Headers;
  text: string;
  data: T;
}

type Body = Record<string, unknown>;

/** A sandbox with this extension, two attendants and two services. */
export class Salon {
  private constructor(
    readonly sandbox: Sandbox,
    private readonly accountId: number,
  ) {}

  static async open(): Promise<Salon> {
    const { DATABASE_URL } = process.env;
    const sandbox = await startSandbox({ extensions: ['./dist'], ...(DATABASE_URL && { database: new URL('/', DATABASE_URL).href }) });
    const [{ id }] = await sandbox.get(DataSource).query<{ id: number }[]>('SELECT MIN(id) AS id FROM accounts');
    const salon = new Salon(sandbox, Number(id));
    for (const name of ['Ana', 'Antônio; Conceição'])
      await salon.insert('atendentes', {
        atendente_nome: name,
        atendente_nome_folded: name.toLowerCase(),
        atendente_cargo: '',
        atendente_cargo_folded: '',
        atendente_diponivel: true,
      });
    for (const name of ['Corte, barba 😀', 'Coloração']) await salon.insert('servicos', { servico_nome: name, servico_nome_folded: name });
    return salon;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.stop();
  }

  /** The time of the sandbox, in milliseconds. */
  now(): number {
    return this.sandbox.now.getTime();
  }

  request<T = never>(method: string, path: string, body?: Body, headers: Record<string, string> = {}): Promise<Answer<T>> {
    const given = { Authorization: `Bearer ${this.sandbox.key}`, ...(body && { 'Content-Type': 'application/json' }), ...headers };
    return read<T>(fetch(new URL(path, this.sandbox.url), { method, headers: given, body: body && JSON.stringify(body) }));
  }

  async createFeed(form: Body = {}): Promise<{ id: number; path: string }> {
    const { data } = await this.request<{ id: number; url: string }>('POST', '/api/calendar-feeds', {
      name: 'Salon',
      timezone: 'America/Sao_Paulo',
      ...form,
    });
    return { id: data.id, path: new URL(data.url).pathname };
  }

  /** Without a key, as calendars do. */
  calendar(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return read(fetch(new URL(path, this.sandbox.url), { headers }));
  }

  async book({
    id,
    data_hora,
    nome = 'João da Silva',
    telefone = '11 98765-4321',
    servico = 1,
    atendente = 1,
  }: Appointment): Promise<void> {
    await this.insert('agendamentos', {
      nome,
      nome_folded: nome,
      telefone,
      telefone_folded: telefone,
      data_hora,
      servicos_id: servico,
      atendentes_id: atendente,
      ...(id && { agendamento_id: id }),
    });
  }

  async insert(table: string, row: Body): Promise<void> {
    const values = { account_id: this.accountId, ...row };
    const names = Object.keys(values);
    await this.query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, Object.values(values));
  }

  query(sql: string, values: unknown[] = []): Promise<unknown> {
    return this.sandbox.get(DataSource).query(sql, values);
  }

  /** The appointments announced by events, in order. */
  async announced(): Promise<{ agendamento_id: number; minutes: number }[]> {
    const { data } = await this.request<{ data: { agendamento_id: number; minutes: number } }[]>(
      'GET',
      '/api/events?types=calendar.appointment_due&limit=1000',
    );
    return data.map(({ data: { agendamento_id, minutes } }) => ({ agendamento_id, minutes }));
  }
}

async function read<T>(response: Promise<Response>): Promise<Answer<T>> {
  const { status, headers } = await response;
  const text = await (await response).text();
  const isJson = headers.get('content-type')?.startsWith('application/json');
  return { status, headers, text, data: (isJson ? (JSON.parse(text) as { data: T }).data : undefined) as T };
}

/** A wall time in UTC. */
export function at(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
