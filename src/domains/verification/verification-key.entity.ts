import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The key that all tokens derive from: one row, with the id 1, created on first use. */
@Entity('verification_keys')
export class VerificationKey {
  @PrimaryColumn({ type: 'int' })
  id: number;

  /** Encrypted by SecretsCipher. */
  @Column({ type: 'text' })
  secret: string;
}
