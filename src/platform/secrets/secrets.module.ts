import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KeyRotation } from './key-rotation';
import { SecretsCipher, SecretsKeys } from './secrets-cipher';
import { StoredKey, StoredKeys } from './stored-keys';

@Module({
  imports: [TypeOrmModule.forFeature([StoredKey])],
  providers: [KeyRotation, SecretsCipher, SecretsKeys, StoredKeys],
  exports: [KeyRotation, SecretsCipher, StoredKeys],
})
export class SecretsModule {}
