import { Module } from '@nestjs/common';
import { KeyRotation } from './key-rotation';
import { SecretsCipher, SecretsKeys } from './secrets-cipher';

@Module({
  providers: [KeyRotation, SecretsCipher, SecretsKeys],
  exports: [KeyRotation, SecretsCipher],
})
export class SecretsModule {}
