import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, type Repository } from 'typeorm';
import { timestamp } from '../../platform/common/time';
import { operatorContext } from '../../platform/common/write-context';
import { logAuditedEvent } from '../../platform/database/events/event-log';
import { type Transaction, UniqueViolation, WriteExecutor } from '../../platform/database/writes/transactions';
import { Account } from './account.entity';

/** Makes a command fail; the message is for the operator. */
export class OperatorError extends Error {}

@Injectable()
export class AccountsService {
  constructor(
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
    private readonly executor: WriteExecutor,
  ) {}

  findAll(): Promise<Account[]> {
    return this.accounts.find({ order: { id: 'ASC' } });
  }

  /** @throws OperatorError */
  async findByName(name: string): Promise<Account> {
    const account = await this.accounts.findOneBy({ name });
    if (!account) throw new OperatorError(`There is no account named ${JSON.stringify(name)}. Create it with: accounts create <name>`);
    return account;
  }

  /** Returns a function from an account's id to its name or, if the account is deleted, to the id as text. */
  async names(): Promise<(id: number) => string> {
    const names = new Map((await this.findAll()).map(({ id, name }) => [id, name]));
    return (id) => names.get(id) ?? String(id);
  }

  /** The id of the account with this name; undefined if no name is given. @throws OperatorError for an unknown name */
  async findId(name?: string): Promise<number | undefined> {
    return name === undefined ? undefined : (await this.findByName(name)).id;
  }

  /** `afterInsert` runs in the same transaction. @throws OperatorError when the name is taken */
  async create(name: string, afterInsert?: (transaction: Transaction, account: Account) => Promise<void>): Promise<Account> {
    try {
      return await this.executor.run(async (transaction) => {
        const account = await transaction.manager.save(Account, { name, datetime: timestamp(transaction.clock.now()) });
        await logAuditedEvent(transaction, operatorContext(account.id), { action: 'create', record: 'account', recordId: account.id });
        await afterInsert?.(transaction, account);
        return account;
      });
    } catch (error) {
      throw error instanceof UniqueViolation ? new OperatorError(`There is already an account named ${JSON.stringify(name)}.`) : error;
    }
  }

  /** Enables or disables an account's keys, in every process within a second. */
  async setEnabled(id: number, isEnabled: boolean): Promise<void> {
    await this.executor.run(async (transaction) => {
      const [time, before] = isEnabled ? [null, Not(IsNull())] : [timestamp(transaction.clock.now()), IsNull()];
      const { affected } = await transaction.manager.update(Account, { id, disabled_datetime: before }, { disabled_datetime: time });
      const action = isEnabled ? 'enable' : 'disable';
      if (affected) await logAuditedEvent(transaction, operatorContext(id), { action, record: 'account', recordId: id });
    });
  }
}
