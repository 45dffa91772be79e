import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { ImportScopes } from '../auth/import-scopes';
import { InputValidationPipe } from '../platform/http/input/validation.pipe';
import { Agendamento, Atendente, AtendenteServico, Horario, Servico } from './collections/collections.entity';
import { ServedCollections } from './collections/served-collections';
import { SchedulingController } from './scheduling.controller';
import { SchedulingDocument } from './scheduling.openapi';
import { SchedulingService } from './scheduling.service';
import { StreamLimiter } from './stream-limiter';

@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([Agendamento, Atendente, AtendenteServico, Horario, Servico])],
  controllers: [SchedulingController],
  providers: [InputValidationPipe, SchedulingDocument, SchedulingService, ServedCollections, StreamLimiter],
  exports: [ServedCollections],
})
export class SchedulingModule {
  constructor(imports: ImportScopes, { list }: ServedCollections) {
    imports.add(
      'scheduling:read',
      list.map(({ name }) => name),
    );
  }
}
