import { Module } from '@nestjs/common';
import { EncryptedColumns } from './encrypted-columns';
import { SecretsCipher, SecretsKeys } from './secrets-cipher';

@Module({
  providers: [EncryptedColumns, SecretsCipher, SecretsKeys],
  exports: [EncryptedColumns, SecretsCipher],
})
export class SecretsModule {}
