import type { ChannelType, Settings } from '../notification-handlers/channels';

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
