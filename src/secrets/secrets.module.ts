import { Module } from '@nestjs/common';
import { KeyCheck, SecretsRotation } from './encrypted-columns';
import { SecretsCipher, SecretsKeys } from './secrets-cipher';

@Module({
  providers: [KeyCheck, SecretsCipher, SecretsKeys, SecretsRotation],
  exports: [KeyCheck, SecretsCipher, SecretsRotation],
})
export class SecretsModule {}
