import { Module } from '@nestjs/common';
import { KeyCheck } from './key-check';
import { SecretsCipher } from './secrets-cipher';
import { SecretsKeys } from './secrets-keys';
import { SecretsRotation } from './secrets-rotation';

@Module({
  providers: [KeyCheck, SecretsCipher, SecretsKeys, SecretsRotation],
  exports: [KeyCheck, SecretsCipher, SecretsRotation],
})
export class SecretsModule {}
