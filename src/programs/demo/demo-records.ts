import { DAY_MS, timestamp } from '../../platform/common/time';
import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { ChannelType, Settings } from '../../notification-handlers/channel-settings';
import { Agendamento, Atendente, AtendenteServico, Horario, Servico } from '../../scheduling/collections/collections.entity';

/** Records of the demo account: a small chain of barber shops. */
export const DEMO_DOMAINS = [
  { host: 'www.barbearia-central.example.com', custom_index_url: 'https://barbearia-central.example.com/agenda', isVerified: true },
  { host: 'agenda.barbearia-central.example.com', custom_index_url: '', isVerified: false },
  { host: 'promo.barbearia-central.example.com', custom_index_url: 'https://barbearia-central.example.com/promo', isVerified: false },
];

export const DEMO_HANDLERS: { type: ChannelType; name: string; settings: Settings }[] = [
  { type: 'email', name: 'Recepção', settings: { email: 'recepcao@barbearia-central.example.com' } },
  { type: 'webhook', name: 'Sistema de caixa', settings: { webhook: 'https://caixa.barbearia-central.example.com/avisos' } },
  { type: 'whatsapp', name: 'Plantão', settings: { whatsapp: '+5511987654321' } },
];

export const DEMO_CAMPAIGNS = [
  {
    name: 'Inauguração da unidade Pinheiros',
    notifications: [
      {
        name: 'Primeiro corte com desconto',
        type: 'INFORMATIONAL',
        settings: { title: 'Primeiro corte com 20% de desconto', display_duration: 8, display_position: 'bottom_left' },
      },
      { name: 'Agende pelo celular', type: 'COUPON', settings: { title: 'Agende pelo celular', coupon_code: 'PINHEIROS20' } },
    ],
  },
  {
    name: 'Mês dos pais',
    notifications: [
      { name: 'Pai e filho', type: 'COUNTDOWN_COLLECTOR', settings: { title: 'Pai e filho juntos', end_date: '2027-08-31 23:59:59' } },
    ],
  },
];

const SERVICES = ['Corte de cabelo', 'Barba', 'Corte e barba', 'Coloração', 'Hidratação'];

/** Each with name, role, availability and services. */
const ATTENDANTS = [
  ['Antônio Conceição', 'Barbeiro', true, ['Corte de cabelo', 'Barba']],
  ['Júlia Araújo', 'Cabeleireira', true, ['Coloração', 'Hidratação']],
  ['Zé Luís Brandão', 'Barbeiro', false, ['Corte e barba']],
] as const;

/** Each with time and availability. */
const TIME_SLOTS = [
  ['09:00', true],
  ['09:30', false],
  ['10:00', true],
  ['14:30', true],
] as const;

/** Each with customer, telephone, days from today, time, service and attendant. */
const APPOINTMENTS = [
  ['João da Silva', '(11) 98765-4321', 0, '09:30:00', 'Corte de cabelo', 'Antônio Conceição'],
  ['Conceição Águas', '(21) 99876-5432', 0, '10:00:00', 'Coloração', 'Júlia Araújo'],
  ['Inácio Gonçalves', '(31) 91234-5678', 1, '14:30:00', 'Barba', 'Antônio Conceição'],
  ['Érica Muñoz', '(11) 97654-3210', 2, '09:00:00', 'Hidratação', 'Júlia Araújo'],
] as const;

/** Inserts the scheduling records of the demo account. `now` is in milliseconds since 1970; the first appointments are on that day. */
export async function insertDemoScheduling(manager: EntityManager, account_id: number, now: number): Promise<void> {
  const ids = new Map<string, number>();
  const insert = async (entity: EntityTarget<ObjectLiteral>, values: ObjectLiteral): Promise<number> => {
    const { identifiers } = await manager.insert(entity, { account_id, ...values });
    return Number(Object.values(identifiers[0])[0]);
  };
  for (const servico_nome of SERVICES) ids.set(servico_nome, await insert(Servico, { servico_nome }));
  for (const [atendente_nome, atendente_cargo, atendente_diponivel, services] of ATTENDANTS) {
    const atendentes_id = await insert(Atendente, { atendente_nome, atendente_cargo, atendente_diponivel });
    ids.set(atendente_nome, atendentes_id);
    for (const service of services) await insert(AtendenteServico, { atendentes_id, servicos_id: ids.get(service) });
  }
  for (const [horario_id, horario_disponivel] of TIME_SLOTS) await insert(Horario, { horario_id, horario_disponivel });
  for (const [nome, telefone, days, time, service, attendant] of APPOINTMENTS) {
    const data_hora = `${timestamp(now + days * DAY_MS).slice(0, 10)} ${time}`;
    await insert(Agendamento, { nome, telefone, data_hora, servicos_id: ids.get(service), atendentes_id: ids.get(attendant) });
  }
}
