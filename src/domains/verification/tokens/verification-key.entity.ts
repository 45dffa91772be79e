import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The key that all tokens are made with: one row, with the id 1, made with the first use. */
@Entity('verification_keys')
export class VerificationKey {
  @PrimaryColumn({ type: 'int' })
  id: number;

  /** Encrypted by SecretsCipher. */
  @Column({ type: 'text' })
  secret: string;
}
