import { ClassSerializerInterceptor, Controller, Get, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Like, Repository } from 'typeorm';
import { Agendamento } from './agendamento.entity';
import { AccountId, KeyGuard } from './key.guard';

@Controller('scheduling')
@UseGuards(KeyGuard)
@UseInterceptors(ClassSerializerInterceptor)
export class SchedulingController {
  constructor(@InjectRepository(Agendamento) private readonly agendamentos: Repository<Agendamento>) {}

  @Get()
  async findAll(@AccountId() account_id: number, @Query('nome') nome: string) {
    const agendamentos = await this.agendamentos.find({
      where: { account_id, nome_folded: Like(`%${nome.toLowerCase()}%`) },
      relations: { servico: true, atendente: true },
      order: { agendamento_id: 'ASC' },
    });
    return { data: agendamentos.map(recordOf) };
  }
}

function recordOf({ agendamento_id, nome, telefone, data_hora, servicos_id, servico, atendentes_id, atendente }: Agendamento) {
  const { servico_nome } = servico;
  const { atendente_nome } = atendente;
  return { agendamento_id, nome, telefone, data_hora, servicos_id, servico_nome, atendentes_id, atendente_nome };
}
