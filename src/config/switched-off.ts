import type { Config } from './config';

/** Variables by which a part of the service is off, set or unset. Names only: a value may be secret. */
export function switchedOff({ migrations, demo, metricsPort, edge, domains, deliveries, channels }: Config): string[] {
  const off = {
    MIGRATIONS: migrations === 'manual',
    DEMO: !demo,
    METRICS_PORT: metricsPort === undefined,
    EDGE_PORT: edge.port === undefined,
    DOMAIN_CHECKS: !domains.checks,
    DELIVERY_CONCURRENCY: deliveries.concurrency === 0,
    DELIVERY_DAILY_LIMIT: [...deliveries.dailyLimits.values()].includes(0),
    SMTP_URL: !channels.smtp,
    TWILIO_ACCOUNT_SID: !channels.twilio,
  };
  return Object.keys(off).filter((name) => off[name as keyof typeof off]);
}
