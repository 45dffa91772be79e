import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InputPipe } from '../platform/http/input/input.pipe';
import { Agendamento, Atendente, AtendenteServico, Horario, Servico } from './collections/entities';
import { ServedCollections } from './collections/served-collections';
import { SchedulingController } from './scheduling.controller';
import { SchedulingDocument } from './scheduling.openapi';
import { SchedulingService } from './scheduling.service';
import { StreamLimiter } from './stream-limiter';

@Module({
  imports: [TypeOrmModule.forFeature([Agendamento, Atendente, AtendenteServico, Horario, Servico])],
  controllers: [SchedulingController],
  providers: [InputPipe, SchedulingDocument, SchedulingService, ServedCollections, StreamLimiter],
  exports: [ServedCollections],
})
export class SchedulingModule {}
