import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { operatorContext, type WriteContext } from '../platform/common/write-context';
import type { Acknowledgement, CancellationCounts } from './message.dto';
import { Message } from './message.entity';
import { MessagesService } from './messages.service';
import { RecordNotFound } from '../platform/common/errors';

/** Cancels and acknowledges messages of any account, by the same rules as the API. */
@Injectable()
export class OperatorMessages {
  constructor(
    @InjectRepository(Message) private readonly repository: Repository<Message>,
    private readonly messages: MessagesService,
  ) {}

  /** @throws RecordNotFound */
  async cancel(id: number): Promise<CancellationCounts> {
    return this.messages.cancel(await this.contextOf(id), id);
  }

  /** @throws RecordNotFound, RequestError */
  async acknowledge(id: number): Promise<Acknowledgement> {
    return this.messages.acknowledge(await this.contextOf(id), id);
  }

  /** The operator's context in the message's account. @throws RecordNotFound */
  private async contextOf(id: number): Promise<WriteContext> {
    const message = await this.repository.findOne({ select: { id: true, account_id: true }, where: { id } });
    if (!message) throw new RecordNotFound('message');
    return operatorContext(message.account_id);
  }
}
