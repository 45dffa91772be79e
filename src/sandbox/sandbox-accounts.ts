import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountsService } from '../auth/accounts/accounts.service';
import { ApiKeysService } from '../auth/keys/api-keys.service';
import type { ScopeName } from '../auth/route-policies';

export interface AccountOptions {
  /** Unique; by default, random. */
  name?: string;
  /** Scopes of its key; by default, all. */
  scopes?: readonly string[];
}

export interface SandboxAccount {
  id: number;
  name: string;
  key: string;
}

@Injectable()
export class SandboxAccounts {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
  ) {}

  /** @throws OperatorError for a name that is taken, or an unknown scope */
  async create({ name = `account-${randomUUID()}`, scopes }: AccountOptions = {}): Promise<SandboxAccount> {
    const { id } = await this.accounts.create(name);
    const { key } = await this.keys.create({ accountId: id, name: 'sandbox', scopes: scopes as ScopeName[] | undefined });
    return { id, name, key };
  }
}
