import type { ChannelType, Settings } from '../notification-handlers/channels';

/** What the demo account holds: a small chain of barber shops, as it might use the service. */
export const DEMO_DOMAINS = [
  { host: 'www.barbearia-central.example.com', custom_index_url: 'https://barbearia-central.example.com/agenda' },
  { host: 'agenda.barbearia-central.example.com', custom_index_url: '' },
  { host: 'promo.barbearia-central.example.com', custom_index_url: 'https://barbearia-central.example.com/promo' },
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

export const DEMO_SERVICES = ['Corte de cabelo', 'Barba', 'Corte e barba', 'Coloração', 'Hidratação'];

export const DEMO_ATTENDANTS = [
  { atendente_nome: 'Antônio Conceição', atendente_cargo: 'Barbeiro', atendente_diponivel: true, services: ['Corte de cabelo', 'Barba'] },
  { atendente_nome: 'Júlia Araújo', atendente_cargo: 'Cabeleireira', atendente_diponivel: true, services: ['Coloração', 'Hidratação'] },
  { atendente_nome: 'Zé Luís Brandão', atendente_cargo: 'Barbeiro', atendente_diponivel: false, services: ['Corte e barba'] },
];

export const DEMO_TIME_SLOTS = [
  { horario_id: '09:00', horario_disponivel: true },
  { horario_id: '09:30', horario_disponivel: false },
  { horario_id: '10:00', horario_disponivel: true },
  { horario_id: '14:30', horario_disponivel: true },
];

export const DEMO_APPOINTMENTS = [
  {
    nome: 'João da Silva',
    telefone: '(11) 98765-4321',
    data_hora: '2026-12-01 09:30:00',
    service: 'Corte de cabelo',
    attendant: 'Antônio Conceição',
  },
  {
    nome: 'Conceição Águas',
    telefone: '(21) 99876-5432',
    data_hora: '2026-12-01 10:00:00',
    service: 'Coloração',
    attendant: 'Júlia Araújo',
  },
  {
    nome: 'Inácio Gonçalves',
    telefone: '(31) 91234-5678',
    data_hora: '2026-12-02 14:30:00',
    service: 'Barba',
    attendant: 'Antônio Conceição',
  },
  { nome: 'Érica Muñoz', telefone: '(11) 97654-3210', data_hora: '2026-12-03 09:00:00', service: 'Hidratação', attendant: 'Júlia Araújo' },
];
