import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CreateDomain, UpdateDomain } from './domain.dto';
import { Domain } from './domain.entity';

@Injectable()
export class DomainsService {
  constructor(@InjectRepository(Domain) private readonly domains: Repository<Domain>) {}

  findPage(account_id: number, page: number, size: number): Promise<[Domain[], number]> {
    return this.domains.findAndCount({ where: { account_id }, order: { id: 'ASC' }, skip: (page - 1) * size, take: size });
  }

  async findOne(account_id: number, id: number): Promise<Domain> {
    const domain = await this.domains.findOneBy({ account_id, id });
    if (!domain) throw new NotFoundException();
    return domain;
  }

  async create(account_id: number, input: CreateDomain): Promise<{ id: number }> {
    const defaults = { scheme: 'https://', custom_index_url: '', custom_not_found_url: '', is_enabled: true };
    const { id } = await this.domains.save(this.domains.create({ ...defaults, ...input, account_id, datetime: now() }));
    return { id };
  }

  async update(account_id: number, id: number, changes: UpdateDomain): Promise<{ id: number }> {
    const domain = await this.findOne(account_id, id);
    await this.domains.save(this.domains.merge(domain, changes, { last_datetime: now() }));
    return { id };
  }
}

function now(): string {
  return new Date().toISOString().slice(0, 19).replace('T', ' ');
}
