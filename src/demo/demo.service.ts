import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Account } from '../auth/accounts/account.entity';
import { ApiKey } from '../auth/keys/api-key.entity';
import { newApiKey } from '../auth/keys/new-api-key';
import { Config } from '../config/config';
import { audit } from '../database/audit/audit';
import { operatorContext } from '../common/write-context';
import type { Statements } from '../database/dialect';
import { timestamp } from '../common/time';
import { Transactions } from '../database/writes/transactions';
import { Domain } from '../domains/domain.entity';
import { NotificationHandler } from '../notification-handlers/notification-handler.entity';
import { SettingsCipher } from '../notification-handlers/secrets/settings-cipher';
import { Campaign } from '../notifications/campaign.entity';
import { Notification } from '../notifications/notification.entity';
import { DEMO_CAMPAIGNS, DEMO_DOMAINS, DEMO_HANDLERS } from './demo-records';
import { insertDemoScheduling } from './demo-scheduling';

/** Gives the first start something to show. */
@Injectable()
export class DemoService {
  constructor(
    private readonly config: Config,
    private readonly transactions: Transactions,
    private readonly cipher: SettingsCipher,
  ) {}

  /** Makes the account `demo` with a few records, on an embedded database without any account unless DEMO is off; returns its key. */
  async createOnFirstStart(): Promise<string | undefined> {
    if (!this.config.demo || this.config.database.type !== 'sqlite') return undefined;
    return this.transactions.run(async (manager, statements) =>
      (await manager.exists(Account)) ? undefined : this.create(manager, statements),
    );
  }

  private async create(manager: EntityManager, statements: Statements): Promise<string> {
    const account: Partial<Account> = { name: 'demo', datetime: timestamp() };
    await manager.insert(Account, account);
    const common = { account_id: account.id!, is_enabled: true, datetime: timestamp() };

    for (const domain of DEMO_DOMAINS) await manager.insert(Domain, { ...common, ...domain, scheme: 'https://', custom_not_found_url: '' });
    for (const handler of DEMO_HANDLERS) {
      await manager.insert(NotificationHandler, {
        ...common,
        ...handler,
        settings: this.cipher.encrypt(handler.settings, common.account_id),
      });
    }
    for (const { name, notifications } of DEMO_CAMPAIGNS) {
      const campaign: Partial<Campaign> = { ...common, name };
      await manager.insert(Campaign, campaign);
      for (const { settings, ...notification } of notifications) {
        const notification_key = randomBytes(16).toString('hex');
        const links = { campaign_id: campaign.id!, notification_key };
        await manager.insert(Notification, { ...common, ...notification, ...links, settings });
      }
    }
    await insertDemoScheduling(manager, common.account_id);

    const { key, row } = newApiKey({ accountId: common.account_id, name: 'first start' });
    await manager.insert(ApiKey, row);
    await audit(statements, operatorContext(common.account_id), { action: 'create', record: 'account', recordId: common.account_id });
    await audit(statements, operatorContext(common.account_id), { action: 'create', record: 'key', recordId: row.id! });
    return key;
  }
}
