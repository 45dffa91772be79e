import { Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { AttendantService } from './attendant-service';

@Entity('atendenteservico')
@Index(['account_id', 'atendenteservico_id'])
export class AtendenteServico extends AttendantService {
  @PrimaryGeneratedColumn()
  atendenteservico_id: number;
}
