-- 9.7.4-2
SET foreign_key_checks = 0;
CREATE TABLE `accounts` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `disabled_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_2db43cdbf7bb862e577b5f540c` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `accounts` VALUES
(1, 'sandbox', NULL, '2026-11-28 20:52:14');
CREATE TABLE `agendamentos` (
  `agendamento_id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `nome` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `nome_folded` varchar(384) COLLATE utf8mb4_bin NOT NULL,
  `telefone` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `telefone_folded` varchar(96) COLLATE utf8mb4_bin NOT NULL,
  `data_hora` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  `servicos_id` int NOT NULL,
  `atendentes_id` int NOT NULL,
  PRIMARY KEY (`agendamento_id`),
  KEY `IDX_8a93b4a0493a6882960076ffdb` (`account_id`,`agendamento_id`),
  KEY `IDX_5da2fa4e3c6e2cb2f348a25eaa` (`account_id`,`nome_folded`),
  KEY `IDX_d6f69566e4bbc94fd2d71f2b37` (`account_id`,`telefone_folded`),
  KEY `IDX_42168e5d7d170c66a10c12952c` (`account_id`,`data_hora`),
  KEY `IDX_e86f73f4de276f7815fc12cd6b` (`servicos_id`),
  KEY `IDX_e9be1b9c8b506cfcaeb67118ff` (`atendentes_id`),
  CONSTRAINT `FK_41eda9bcc6a2cf837c0e9297188` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_e86f73f4de276f7815fc12cd6b7` FOREIGN KEY (`servicos_id`) REFERENCES `servicos` (`servicos_id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_e9be1b9c8b506cfcaeb67118ffe` FOREIGN KEY (`atendentes_id`) REFERENCES `atendentes` (`atendentes_id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `agendamentos` VALUES
(1, 1, 'João da Silva', 'joao da silva', '(11) 98765-4321', '(11) 98765-4321', '2026-11-28 09:30:00', 1, 1),
(2, 1, 'Conceição Águas', 'conceicao aguas', '(21) 99876-5432', '(21) 99876-5432', '2026-11-28 10:00:00', 4, 2),
(3, 1, 'Inácio Gonçalves', 'inacio goncalves', '(31) 91234-5678', '(31) 91234-5678', '2026-11-29 14:30:00', 2, 1),
(4, 1, 'Érica Muñoz', 'erica munoz', '(11) 97654-3210', '(11) 97654-3210', '2026-11-30 09:00:00', 5, 2);
CREATE TABLE `api_keys` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `name` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `key_hash` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `scopes` varchar(512) COLLATE utf8mb4_bin NOT NULL,
  `has_all_scopes` tinyint(1) NOT NULL DEFAULT '0',
  `expires_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `last_used_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `revoked_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_57384430aa1959f4578046c9b8` (`key_hash`),
  KEY `IDX_decaf331589778e33441b2a8d9` (`account_id`),
  CONSTRAINT `FK_decaf331589778e33441b2a8d9e` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `api_keys` VALUES
(1, 1, 'sandbox', '09777bd07c02aa6860f7c6cd218bcffab56e3d9e20b788150d52fb1faa6048e8', 'domains:read,domains:write,events:read,messages:read,messages:write,notification-handlers:read,notification-handlers:write,notifications:read,scheduling:read,secrets:read', 1, NULL, NULL, NULL, '2026-11-28 20:52:14'),
(2, 1, 'owner', '31af6933db89f61c923200f43e351379cade73484afe9b20ca29fc9279324f69', 'domains:read,domains:write,events:read,keys:write,messages:read,messages:write,notification-handlers:read,notification-handlers:write,notifications:read,scheduling:read,secrets:read', 0, NULL, '2026-11-28 20:55:14', NULL, '2026-11-28 20:52:14'),
(3, 1, 'website', '8b2f621f8c7c242b2e3ab2359f6c4bf2c0cdfe4537525cd4eec31398ff365547', 'domains:read', 0, '2027-02-26 20:52:14', NULL, NULL, '2026-11-28 20:52:14');
CREATE TABLE `atendentes` (
  `atendentes_id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `atendente_nome` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `atendente_nome_folded` varchar(384) COLLATE utf8mb4_bin NOT NULL,
  `atendente_cargo` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `atendente_cargo_folded` varchar(384) COLLATE utf8mb4_bin NOT NULL,
  `atendente_diponivel` tinyint(1) NOT NULL,
  PRIMARY KEY (`atendentes_id`),
  KEY `IDX_b168318f0e079c3c4397e9ee5a` (`account_id`,`atendentes_id`),
  KEY `IDX_76bdfac752e1ab825daf83807d` (`account_id`,`atendente_nome_folded`),
  KEY `IDX_5a95f132ff51b7a991682b886e` (`account_id`,`atendente_cargo_folded`),
  KEY `IDX_b6360d6ee7f0165b8cfff33271` (`account_id`,`atendente_diponivel`),
  CONSTRAINT `FK_ea1c321be5fcde4d9d7e64932d4` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `atendentes` VALUES
(1, 1, 'Antônio Conceição', 'antonio conceicao', 'Barbeiro', 'barbeiro', 1),
(2, 1, 'Júlia Araújo', 'julia araujo', 'Cabeleireira', 'cabeleireira', 1),
(3, 1, 'Zé Luís Brandão', 'ze luis brandao', 'Barbeiro', 'barbeiro', 0);
CREATE TABLE `atendenteservico` (
  `atendenteservico_id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `atendentes_id` int NOT NULL,
  `servicos_id` int NOT NULL,
  PRIMARY KEY (`atendenteservico_id`),
  KEY `IDX_6b2dedd2b5fe9e956f87c7da55` (`account_id`,`atendenteservico_id`),
  KEY `IDX_43e7270af17efaf6c37a740e5c` (`atendentes_id`),
  KEY `IDX_89810bdc644c18873738a627e8` (`servicos_id`),
  CONSTRAINT `FK_43e7270af17efaf6c37a740e5c9` FOREIGN KEY (`atendentes_id`) REFERENCES `atendentes` (`atendentes_id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_89810bdc644c18873738a627e84` FOREIGN KEY (`servicos_id`) REFERENCES `servicos` (`servicos_id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_8a448fa4248cd32de59027948f5` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `atendenteservico` VALUES
(1, 1, 1, 1),
(2, 1, 1, 2),
(3, 1, 2, 4),
(4, 1, 2, 5),
(5, 1, 3, 3);
CREATE TABLE `campaigns` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `name` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_ede26910e696414505594a7e61` (`account_id`,`id`),
  CONSTRAINT `FK_6fca73bc027c168f88c54e2f112` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `campaigns` VALUES
(1, 1, 'Primavera', 1, '2026-11-21 14:05:09');
CREATE TABLE `deliveries` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `message_id` int NOT NULL,
  `handler_id` int NOT NULL,
  `step` int NOT NULL DEFAULT '0',
  `type` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `lane` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `status` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `part` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `attempts` int NOT NULL,
  `tries` int NOT NULL,
  `is_counted` tinyint(1) NOT NULL,
  `has_content` tinyint(1) NOT NULL DEFAULT '0',
  `next_attempt` bigint DEFAULT NULL,
  `started` bigint DEFAULT NULL,
  `send_at` bigint DEFAULT NULL,
  `lease` varchar(36) COLLATE utf8mb4_bin DEFAULT NULL,
  `outcome` varchar(32) COLLATE utf8mb4_bin DEFAULT NULL,
  `expires_at` bigint DEFAULT NULL,
  `cancelled_by` int DEFAULT NULL,
  `cancelled_as` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  `event_id` varchar(40) COLLATE utf8mb4_bin DEFAULT NULL,
  `until` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  `receipt` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `last_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_4ab201414d33b6216f48e5ec09` (`account_id`,`id`),
  KEY `IDX_9a957f5edd83cebe6c0c4fc408` (`account_id`,`datetime`,`id`,`status`,`outcome`,`handler_id`),
  KEY `IDX_8406b56c84d5f0914dd5d7b3dc` (`account_id`,`status`),
  KEY `IDX_1de618e0f5bb5cb9b455472309` (`account_id`,`outcome`),
  KEY `IDX_c30e71cddbcc0c5685a7bb792f` (`lane`,`lease`,`next_attempt`),
  KEY `IDX_84dfe9bef8b1e11dca4616c06c` (`message_id`,`status`),
  KEY `IDX_60aa401357dffe4ee8b0a501a8` (`handler_id`),
  KEY `IDX_6e1c89148d745c2070c4bac0fa` (`expires_at`),
  CONSTRAINT `FK_19ad1003a453736973ea6c728e7` FOREIGN KEY (`message_id`) REFERENCES `messages` (`id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_bcc7cb962410f56a0aaf8c5ec28` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `deliveries` VALUES
(1, 1, 1, 1, 0, 'discord', 'discord:1', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_b6f412c4e2_7', NULL, NULL, '2026-11-28 20:52:14', '2026-11-28 20:52:14'),
(2, 1, 2, 1, 0, 'discord', 'discord:1', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_b6f412c4e2_8', NULL, NULL, '2026-11-28 20:52:14', '2026-11-28 20:52:14'),
(3, 1, 3, 1, 0, 'discord', 'discord:1', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_b6f412c4e2_9', NULL, NULL, '2026-11-28 20:52:14', '2026-11-28 20:52:14'),
(4, 1, 4, 1, 0, 'discord', 'discord:1', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_b6f412c4e2_10', NULL, NULL, '2026-11-28 20:52:14', '2026-11-28 20:52:14'),
(5, 1, 5, 2, 0, 'webhook', 'webhook:2', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:53:14', '2026-11-28 20:53:14'),
(6, 1, 5, 3, 0, 'webhook', 'webhook:3', 'failed', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'rejected', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:53:14', '2026-11-28 20:53:14'),
(7, 1, 5, 4, 0, 'twilio', 'twilio:4', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:53:14', '2026-11-28 20:53:14'),
(8, 1, 6, 2, 0, 'webhook', 'webhook:2', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, NULL, 'acknowledged', NULL, '2026-11-28 20:53:14', '2026-11-28 20:53:14'),
(9, 1, 6, 4, 1, 'twilio', 'twilio:4', 'cancelled', '3b700f4c025e', 0, 0, 0, 0, NULL, NULL, '1795899494750', NULL, NULL, NULL, NULL, 'wait_ended', NULL, 'acknowledged', NULL, '2026-11-28 20:54:14', '2026-11-28 20:53:14'),
(10, 1, 7, 1, 0, 'discord', 'discord:1', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_b6f412c4e2_14', NULL, NULL, '2026-11-28 20:53:14', '2026-11-28 20:53:14'),
(11, 1, 8, 2, 0, 'webhook', 'webhook:2', 'pending', '3b700f4c025e', 0, 0, 0, 0, '1795902854750', NULL, '1795902854750', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:54:14'),
(12, 1, 9, 1, 0, 'discord', 'discord:1', 'delivered', '3b700f4c025e', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_b6f412c4e2_7', NULL, NULL, '2026-11-28 20:54:14', '2026-11-28 20:54:14');
CREATE TABLE `delivery_attempts` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `delivery_id` int NOT NULL,
  `number` int NOT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  `duration_ms` int NOT NULL,
  `outcome` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `status` int DEFAULT NULL,
  `detail` varchar(255) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_3ea9821a5293464961f6a71691` (`account_id`,`id`),
  KEY `IDX_a9d7e7212c87084249a641ab45` (`delivery_id`),
  CONSTRAINT `FK_294539cf6e249093ee6cb76ed7a` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_a9d7e7212c87084249a641ab455` FOREIGN KEY (`delivery_id`) REFERENCES `deliveries` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `delivery_attempts` VALUES
(1, 1, 1, 1, '2026-11-28 20:52:14', 7, 'delivered', 204, 'The receiver answered 204.'),
(2, 1, 2, 1, '2026-11-28 20:52:14', 7, 'delivered', 204, 'The receiver answered 204.'),
(3, 1, 3, 1, '2026-11-28 20:52:14', 8, 'delivered', 204, 'The receiver answered 204.'),
(4, 1, 4, 1, '2026-11-28 20:52:14', 8, 'delivered', 204, 'The receiver answered 204.'),
(5, 1, 7, 1, '2026-11-28 20:53:14', 5, 'delivered', 201, 'The receiver answered 201.'),
(6, 1, 5, 1, '2026-11-28 20:53:14', 5, 'delivered', 200, 'The receiver answered 200.'),
(7, 1, 6, 1, '2026-11-28 20:53:14', 17, 'rejected', 410, 'The receiver answered 410.'),
(8, 1, 8, 1, '2026-11-28 20:53:14', 1, 'delivered', 200, 'The receiver answered 200.'),
(9, 1, 10, 1, '2026-11-28 20:53:14', 1, 'delivered', 204, 'The receiver answered 204.'),
(10, 1, 12, 1, '2026-11-28 20:54:14', 1, 'delivered', 204, 'The receiver answered 204.');
CREATE TABLE `delivery_lanes` (
  `account_id` int NOT NULL,
  `lane` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `available` bigint DEFAULT NULL,
  `paused_until` bigint NOT NULL,
  `is_slow` tinyint(1) NOT NULL,
  `last_ms` int DEFAULT NULL,
  `last_claim` bigint NOT NULL,
  PRIMARY KEY (`lane`),
  KEY `IDX_76b2e7916246cac1ebb78cf811` (`is_slow`,`available`),
  KEY `IDX_3557153935b29206579a2a2141` (`account_id`,`is_slow`,`available`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `delivery_lanes` VALUES
(1, 'discord:1', NULL, '0', 0, 1, '1795899254750'),
(1, 'twilio:4', '1795899494750', '0', 0, 5, '1795899194750'),
(1, 'webhook:2', '1795902854750', '0', 0, 1, '1795899194750'),
(1, 'webhook:3', NULL, '0', 0, 17, '1795899194750');
CREATE TABLE `domain_verifications` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `domain_id` int NOT NULL,
  `host` varchar(253) COLLATE utf8mb4_bin NOT NULL,
  `status` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `is_by_operator` tinyint(1) NOT NULL,
  `started` bigint NOT NULL,
  `checks` int NOT NULL,
  `checked` bigint DEFAULT NULL,
  `due` bigint DEFAULT NULL,
  `misses` int NOT NULL,
  `last_miss` bigint DEFAULT NULL,
  `lost` bigint DEFAULT NULL,
  `problems` text COLLATE utf8mb4_bin NOT NULL,
  `certificate` text COLLATE utf8mb4_bin,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_9e247ea812d877148788da45f5` (`domain_id`),
  KEY `IDX_7de8f38340914c9abf01feecfd` (`account_id`,`due`),
  KEY `IDX_0ca739fe91506d7c49c4967a99` (`due`),
  CONSTRAINT `FK_9e247ea812d877148788da45f57` FOREIGN KEY (`domain_id`) REFERENCES `domains` (`id`) ON DELETE CASCADE,
  CONSTRAINT `FK_e54b339a0459f5f6db4f58e981a` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `domain_verifications` VALUES
(1, 1, 1, 'shop.example.com', 'verified', 0, '1795899134750', 0, '1795899134750', '1795985534750', 0, NULL, NULL, '[]', NULL),
(2, 1, 2, 'blog.example.com', 'pending', 0, '1795899134750', 3, '1795899204750', '1795899504750', 0, NULL, NULL, '[{\"code\":\"txt_missing\",\"detail\":\"Set a TXT record at _frontdesk.blog.example.com with the value in records; there is none.\"}]', NULL),
(3, 1, 3, 'docs.example.com', 'pending', 0, '1795899134750', 3, '1795899204750', '1795899504750', 0, NULL, NULL, '[{\"code\":\"txt_missing\",\"detail\":\"Set a TXT record at _frontdesk.docs.example.com with the value in records; there is none.\"}]', NULL),
(5, 1, 5, 'once.example.com', 'pending', 0, '1795899194750', 3, '1795899264750', '1795899564750', 0, NULL, NULL, '[{\"code\":\"txt_missing\",\"detail\":\"Set a TXT record at _frontdesk.once.example.com with the value in records; there is none.\"}]', NULL);
CREATE TABLE `domains` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `scheme` varchar(8) COLLATE utf8mb4_bin NOT NULL,
  `host` varchar(253) COLLATE utf8mb4_bin NOT NULL,
  `custom_index_url` varchar(2048) COLLATE utf8mb4_bin NOT NULL,
  `custom_not_found_url` varchar(2048) COLLATE utf8mb4_bin NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `last_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_7f1bc54f0ab0c3a62c69c800ee` (`host`),
  KEY `IDX_5d40840438d6b01a2406017108` (`account_id`,`id`),
  KEY `IDX_2a30c885582fb7628aeb1f7911` (`account_id`,`host`),
  KEY `IDX_b8140649fccede27962b3baf82` (`account_id`,`datetime`),
  KEY `IDX_2d2ecda812a316a430605edda3` (`account_id`,`last_datetime`),
  CONSTRAINT `FK_a525bf28362672f3677fe13241d` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `domains` VALUES
(1, 1, 'https://', 'shop.example.com', '', '', 1, NULL, '2026-11-28 20:52:14'),
(2, 1, 'https://', 'blog.example.com', 'https://example.com/blog?é=1', '', 1, '2026-11-28 20:52:14', '2026-11-28 20:52:14'),
(3, 1, 'https://', 'docs.example.com', '', '', 1, NULL, '2026-11-28 20:52:14'),
(5, 1, 'https://', 'once.example.com', '', '', 1, NULL, '2026-11-28 20:53:14');
CREATE TABLE `event_cursors` (
  `account_id` int NOT NULL,
  `number` bigint NOT NULL,
  `event_id` bigint NOT NULL,
  PRIMARY KEY (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `event_cursors` VALUES
(1, '9', '30');
CREATE TABLE `event_epochs` (
  `name` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `start` bigint NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `event_epochs` VALUES
('b6f412c4e2', '1');
CREATE TABLE `event_log` (
  `id` int NOT NULL,
  `last` bigint NOT NULL,
  `floor` bigint NOT NULL,
  `secret` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `event_log` VALUES
(1, '9', '0', 'bcc35227661acb8e62361c2191a82601b5b791fa1a1f3eb15e3f0639d67a04ef');
CREATE TABLE `events` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  `account_id` int NOT NULL,
  `key_id` int DEFAULT NULL,
  `action` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  `record` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `record_id` int DEFAULT NULL,
  `request_id` varchar(128) COLLATE utf8mb4_bin DEFAULT NULL,
  `number` bigint DEFAULT NULL,
  `is_audited` tinyint(1) NOT NULL DEFAULT '1',
  `is_by_service` tinyint(1) NOT NULL DEFAULT '0',
  `data` text COLLATE utf8mb4_bin,
  `host` varchar(253) COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_17419daebf00920c7e29547189` (`number`),
  KEY `IDX_eb2db61787605929672c898f32` (`account_id`,`number`)
) ENGINE=InnoDB AUTO_INCREMENT=30 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `events` VALUES
('1', '2026-11-28 20:52:14', 1, NULL, 'create', 'account', 1, NULL, '1', 1, 0, NULL, NULL),
('2', '2026-11-28 20:52:14', 1, NULL, 'create', 'key', 1, NULL, '1', 1, 0, '{\"name\":\"sandbox\"}', NULL),
('3', '2026-11-28 20:52:14', 1, NULL, 'create', 'key', 2, NULL, '2', 1, 0, '{\"name\":\"owner\"}', NULL),
('4', '2026-11-28 20:52:14', 1, 2, 'create', 'key', 3, '1ee378d1-7725-4f47-91f6-7637a1e8cdca', '2', 1, 0, '{\"name\":\"website\"}', NULL),
('5', '2026-11-28 20:52:14', 1, 2, 'create', 'notification handler', 1, '1d209171-1a57-4128-89d3-13066c5f25f3', '3', 1, 0, NULL, NULL),
('6', '2026-11-28 20:52:14', 1, 2, 'set_events', 'notification handler', 1, 'ff364fe3-31e5-4940-91e2-10028c04084b', '4', 1, 0, NULL, NULL),
('7', '2026-11-28 20:52:14', 1, 2, 'create', 'domain', 1, '10a50078-6f5a-49b1-9e88-a86c1f534adf', '4', 1, 0, NULL, NULL),
('8', '2026-11-28 20:52:14', 1, 2, 'create', 'domain', 2, '665489b5-c5aa-40af-801e-7c8baaf76e4c', '4', 1, 0, NULL, NULL),
('9', '2026-11-28 20:52:14', 1, 2, 'create', 'domain', 3, '74d8ed82-bc62-4de9-a87a-255388f54b4b', '4', 1, 0, NULL, NULL),
('10', '2026-11-28 20:52:14', 1, 2, 'create', 'domain', 4, 'ee5c508d-918a-4716-bee1-f0698256e2f6', '4', 1, 0, NULL, NULL),
('11', '2026-11-28 20:52:14', 1, 2, 'update', 'domain', 2, '46fbfc32-fbf8-487e-aae5-d68ae0324a69', '4', 1, 0, '{\"changed\":[\"host\",\"custom_index_url\"]}', 'blog.example.com'),
('12', '2026-11-28 20:52:14', 1, 2, 'delete', 'domain', 4, '7502d80c-1c27-4a01-8757-34390c696255', '4', 1, 0, '{\"host\":\"gone.example.com\"}', 'gone.example.com'),
('13', '2026-11-28 20:52:14', 1, NULL, 'verify', 'domain', 1, NULL, '5', 0, 1, NULL, 'shop.example.com'),
('14', '2026-11-28 20:53:14', 1, 2, 'create', 'domain', 5, '3b64c0ca-9192-4173-a927-c6047753137a', '6', 1, 0, NULL, NULL),
('15', '2026-11-28 20:53:14', 1, 2, 'create', 'notification handler', 2, 'dd4f96ba-1721-4e17-a616-dc881420ba33', '6', 1, 0, NULL, NULL),
('16', '2026-11-28 20:53:14', 1, 2, 'create', 'notification handler', 3, 'bf37f608-f524-44ed-9a66-a721e6439ac4', '6', 1, 0, NULL, NULL),
('17', '2026-11-28 20:53:14', 1, 2, 'create', 'notification handler', 4, 'c97aaab2-b60c-42f6-b64a-47835b7e3263', '6', 1, 0, NULL, NULL),
('18', '2026-11-28 20:53:14', 1, 2, 'create', 'signing secret', 2, '3f524bda-221d-49de-bde7-1278effaead3', '6', 1, 0, NULL, NULL),
('19', '2026-11-28 20:53:14', 1, 2, 'create', 'message', 5, 'b473c756-c995-484e-a417-4ef967fbf84d', '6', 1, 0, NULL, NULL),
('20', '2026-11-28 20:53:14', 1, 2, 'create', 'message', 6, 'eea265a4-715c-4c7c-8539-e029b76a3206', '6', 1, 0, NULL, NULL),
('21', '2026-11-28 20:53:14', 1, NULL, 'create', 'signing secret', 3, NULL, '6', 1, 0, NULL, NULL),
('22', '2026-11-28 20:53:14', 1, NULL, 'deliver', 'delivery', 7, NULL, '7', 0, 1, '{\"message_id\":5,\"handler_id\":4,\"outcome\":\"delivered\"}', NULL),
('23', '2026-11-28 20:53:14', 1, NULL, 'deliver', 'delivery', 5, NULL, '7', 0, 1, '{\"message_id\":5,\"handler_id\":2,\"outcome\":\"delivered\"}', NULL),
('24', '2026-11-28 20:53:14', 1, NULL, 'fail', 'delivery', 6, NULL, '7', 0, 1, '{\"message_id\":5,\"handler_id\":3,\"outcome\":\"rejected\"}', NULL),
('25', '2026-11-28 20:53:14', 1, NULL, 'deliver', 'delivery', 8, NULL, '7', 0, 1, '{\"message_id\":6,\"handler_id\":2,\"outcome\":\"delivered\"}', NULL),
('26', '2026-11-28 20:54:14', 1, 2, 'cancel', 'delivery', 9, '163fe53f-5a1f-44f9-a2a6-d4ddb37fc098', '8', 0, 0, '{\"message_id\":6,\"handler_id\":4,\"outcome\":null}', NULL),
('27', '2026-11-28 20:54:14', 1, 2, 'acknowledge', 'message', 6, '163fe53f-5a1f-44f9-a2a6-d4ddb37fc098', '8', 1, 0, NULL, NULL),
('28', '2026-11-28 20:54:14', 1, 2, 'create', 'message', 8, '55a4b57a-5794-4585-954c-66967936acdb', '8', 1, 0, NULL, NULL),
('29', '2026-11-28 20:54:14', 1, 2, 'replay', 'notification handler', 1, '4ab7a4db-b730-4541-a0d1-e26ff1c021c2', '9', 1, 0, NULL, NULL);
CREATE TABLE `handler_events` (
  `handler_id` int NOT NULL,
  `account_id` int NOT NULL,
  `types` text COLLATE utf8mb4_bin NOT NULL,
  `since` bigint NOT NULL,
  PRIMARY KEY (`handler_id`),
  KEY `IDX_7fec6b478e57db6708882ed574` (`account_id`),
  CONSTRAINT `FK_741775eb94e6532b0b756c5f58c` FOREIGN KEY (`handler_id`) REFERENCES `notification_handlers` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `handler_events` VALUES
(1, 1, 'domain.created', '3');
CREATE TABLE `handler_replays` (
  `handler_id` int NOT NULL,
  `account_id` int NOT NULL,
  `number` bigint NOT NULL,
  `event_id` bigint NOT NULL,
  `end_number` bigint NOT NULL,
  `end_event_id` bigint NOT NULL,
  `share_ends` bigint NOT NULL,
  `sent` int NOT NULL,
  `share` int NOT NULL,
  `min_datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  `max_datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  `from_datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  `until_datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`handler_id`),
  KEY `IDX_e0763e14492eb91f9a776c45af` (`account_id`),
  CONSTRAINT `FK_33ad01ff540ae300f55eae33d22` FOREIGN KEY (`handler_id`) REFERENCES `notification_handlers` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `handler_replays` VALUES
(1, 1, '4', '8', '9', '0', '1795910400000', 1, 0, '2026-11-28 19:54:14', '9999-12-31 23:59:59', '2026-11-28 19:54:14', '2026-11-28 20:54:14');
CREATE TABLE `horarios` (
  `horarios_id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `horario_id` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `horario_id_folded` varchar(192) COLLATE utf8mb4_bin NOT NULL,
  `horario_disponivel` tinyint(1) NOT NULL,
  PRIMARY KEY (`horarios_id`),
  KEY `IDX_d1ff00a35f1286879152319795` (`account_id`,`horarios_id`),
  KEY `IDX_0b8331f1b0723aa3e34b4327c0` (`account_id`,`horario_id_folded`),
  KEY `IDX_5847d5c96ada35c93d52da24f0` (`account_id`,`horario_disponivel`),
  CONSTRAINT `FK_5478eb407dbab7b2cc611e6e691` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `horarios` VALUES
(1, 1, '09:00', '09:00', 1),
(2, 1, '09:30', '09:30', 0),
(3, 1, '10:00', '10:00', 1),
(4, 1, '14:30', '14:30', 1);
CREATE TABLE `idempotency_keys` (
  `key_hash` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `account_id` int NOT NULL,
  `fingerprint` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `record_id` int NOT NULL,
  `is_repeat` tinyint(1) NOT NULL DEFAULT '0',
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`key_hash`),
  KEY `IDX_2fce765c0a9afca71085de6755` (`account_id`),
  KEY `IDX_21bcc8e3cdf800a900cec82a0e` (`datetime`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `idempotency_keys` VALUES
('b6d998b6ecfcc1d2e9ce3ab247780abb76f701951f938a4c274f8a7551a90656', 1, '62874c58c92e49486f744206d62361711200590a6176b718815181b77e0f41d4', 5, 0, '2026-11-28 20:53:14');
CREATE TABLE `installations` (
  `id` int NOT NULL,
  `part` varchar(16) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `installations` VALUES
(1, '3b700f4c025e');
CREATE TABLE `list_changes` (
  `account_id` int NOT NULL,
  `list` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `shard` int NOT NULL,
  `inserted` bigint NOT NULL,
  `deleted` bigint NOT NULL,
  `updated` bigint NOT NULL,
  `uncounted` bigint NOT NULL,
  PRIMARY KEY (`account_id`,`list`,`shard`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `list_changes` VALUES
(0, 'handler_events', 21, '0', '0', '0', '1'),
(0, 'handler_replays', 19, '0', '0', '0', '1'),
(0, 'quota_counts', 21, '0', '0', '0', '1'),
(0, 'signing_secrets', 20, '0', '0', '0', '1'),
(1, 'agendamentos', 18, '0', '0', '0', '4'),
(1, 'api_keys', 15, '1', '0', '0', '0'),
(1, 'api_keys', 19, '1', '0', '0', '0'),
(1, 'api_keys', 21, '1', '0', '0', '0'),
(1, 'atendentes', 18, '0', '0', '0', '3'),
(1, 'atendenteservico', 18, '0', '0', '0', '5'),
(1, 'campaigns', 18, '1', '0', '0', '0'),
(1, 'deliveries', 19, '7', '0', '0', '0'),
(1, 'deliveries', 20, '5', '0', '0', '0'),
(1, 'domain_verifications', 21, '0', '0', '1', '1'),
(1, 'domains', 20, '1', '0', '0', '0'),
(1, 'domains', 21, '4', '1', '1', '0'),
(1, 'event_cursors', 21, '0', '0', '0', '1'),
(1, 'handler_events', 21, '0', '0', '0', '1'),
(1, 'handler_replays', 19, '0', '0', '0', '1'),
(1, 'horarios', 18, '0', '0', '0', '4'),
(1, 'messages', 19, '7', '0', '0', '0'),
(1, 'messages', 20, '2', '0', '0', '0'),
(1, 'notification_handlers', 20, '3', '0', '0', '0'),
(1, 'notification_handlers', 21, '1', '0', '0', '0'),
(1, 'notifications', 18, '1', '0', '0', '0'),
(1, 'servicos', 18, '0', '0', '0', '5'),
(1, 'signing_secrets', 19, '0', '0', '0', '1'),
(1, 'signing_secrets', 20, '0', '0', '0', '1');
CREATE TABLE `message_keys` (
  `key_hash` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `account_id` int NOT NULL,
  `message_id` int NOT NULL,
  `until` bigint NOT NULL,
  PRIMARY KEY (`key_hash`),
  KEY `IDX_cdf6872d3503156d8012dbea26` (`account_id`),
  KEY `IDX_ae0c3e326c518755c3c1dc98d1` (`until`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `message_keys` VALUES
('42b0532ad1df1ff3aad0ad9c16140cac4c458436557ce9da6edeec9879b1bbfa', 1, 6, '1795985594750');
CREATE TABLE `messages` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `title` varchar(200) COLLATE utf8mb4_bin NOT NULL,
  `text` text COLLATE utf8mb4_bin NOT NULL,
  `url` varchar(2048) COLLATE utf8mb4_bin NOT NULL,
  `traceparent` varchar(55) COLLATE utf8mb4_bin DEFAULT NULL,
  `event` text COLLATE utf8mb4_bin,
  `send_at` bigint DEFAULT NULL,
  `expires_at` bigint DEFAULT NULL,
  `until` varchar(16) COLLATE utf8mb4_bin DEFAULT NULL,
  `acknowledged` varchar(64) COLLATE utf8mb4_bin DEFAULT NULL,
  `repeats` int NOT NULL DEFAULT '0',
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  `content_folded` text COLLATE utf8mb4_bin,
  PRIMARY KEY (`id`),
  KEY `IDX_acc94bdd73f3834e52f1c13e8d` (`account_id`,`id`),
  KEY `IDX_bc0a80218c2b2360bea7fedce0` (`account_id`,`datetime`),
  CONSTRAINT `FK_d61d1bec4a104d044b6e5abd843` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `messages` VALUES
(1, 1, 'Domain created', 'shop.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:52:14', 'domain created\nshop.example.com was added. it is served once its txt record is found in dns.'),
(2, 1, 'Domain created', 'blog.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:52:14', 'domain created\nblog.example.com was added. it is served once its txt record is found in dns.'),
(3, 1, 'Domain created', 'docs.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:52:14', 'domain created\ndocs.example.com was added. it is served once its txt record is found in dns.'),
(4, 1, 'Domain created', 'The domain 4 was created.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:52:14', 'domain created\nthe domain 4 was created.'),
(5, 1, 'Café', 'The backup failed.\n\'\"\\%_ 😀', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:53:14', 'cafe\nthe backup failed.\n\'\"\\%_ 😀'),
(6, 1, '', 'db-1 is down', '', NULL, NULL, NULL, NULL, 'acknowledged', '{\"datetime\":\"2026-11-28 20:54:14\",\"delivery_id\":null}', 1, '2026-11-28 20:53:14', '\ndb-1 is down'),
(7, 1, 'Domain created', 'once.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:53:14', 'domain created\nonce.example.com was added. it is served once its txt record is found in dns.'),
(8, 1, '', 'In an hour', '', NULL, NULL, '1795902854750', NULL, NULL, NULL, 0, '2026-11-28 20:54:14', '\nin an hour'),
(9, 1, 'Domain created', 'shop.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:54:14', 'domain created\nshop.example.com was added. it is served once its txt record is found in dns.');
CREATE TABLE `migrations` (
  `id` int NOT NULL AUTO_INCREMENT,
  `timestamp` bigint NOT NULL,
  `name` varchar(255) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
INSERT INTO `migrations` VALUES
(1, '1795200050600', 'InitialSchema1795200050600');
CREATE TABLE `notification_handlers` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `type` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `name_folded` varchar(384) COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  `settings` text COLLATE utf8mb4_bin NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `last_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_da289408c4acd0d8e72e240711` (`account_id`,`id`),
  KEY `IDX_c942070d8b6a49034e13895390` (`account_id`,`name_folded`),
  KEY `IDX_7c0096da9bf2a55c5df2d20829` (`account_id`,`type`),
  KEY `IDX_5295f5b4071581e4cac2b78ca8` (`account_id`,`datetime`),
  KEY `IDX_bcde5800d4d19ac95874207cdc` (`account_id`,`last_datetime`),
  CONSTRAINT `FK_98859c80b585280815c631d9982` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `notification_handlers` VALUES
(1, 1, 'discord', 'Plantão', 'plantao', '60f2a913.GlhgIt87xPTRA16oRVgkLEmNiUUn2ocQtqYK6XbZOvFA4CBcLl9CW7xmj79deVQmF4A6T9IzXfOBhxdend1Ttn+mCHUjBIk=', 1, NULL, '2026-11-28 20:52:14'),
(2, 1, 'webhook', 'Pager', 'pager', '60f2a913.LvqnEYRQXM03Y+0DEFlEqMi0Y+x15ApBT1lrIC+Z/WhFbeJFCRDKP0JbzvzXco6AC+Z8mFknsPb5a7f3i0r+C2aUVMei', 1, NULL, '2026-11-28 20:53:14'),
(3, 1, 'webhook', 'Gone', 'gone', '60f2a913.8jhlqJDE4yMfYFLRKawOU9cwcKQsahQpFNqLmI1omKw1fAlHC3OmE8TriSz4r7gwhKXn8qL/ESTQwHHCjDgXPuAnchs=', 1, NULL, '2026-11-28 20:53:14'),
(4, 1, 'twilio', 'Night shift 😀', 'night shift 😀', '60f2a913.Wjh/oko215A0+fm1Z42ELkFMrCQRDP8R8z7/1ZOMwjU/mIvYx2qRNJchOS7gnsS81Q0dDeYj0w==', 1, NULL, '2026-11-28 20:53:14');
CREATE TABLE `notifications` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `campaign_id` int NOT NULL,
  `notification_key` varchar(32) COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `name_folded` varchar(384) COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  `type` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `settings` text COLLATE utf8mb4_bin NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `last_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_da4ec0cfba8bfca00dfa0e85fb` (`notification_key`),
  KEY `IDX_15ee314c57c1d9d9c5ce77cb93` (`account_id`,`id`),
  KEY `IDX_56b94248cf930d1adc7cc07dd6` (`campaign_id`),
  KEY `IDX_9a29519a86184cb6e7018dab08` (`account_id`,`name_folded`),
  KEY `IDX_77bc0afb4f7315ade972c459ba` (`account_id`,`type`),
  KEY `IDX_e4fda7d5a455548a859a25d0bf` (`account_id`,`datetime`),
  KEY `IDX_5fe9c3190343dd73670bcc4f70` (`account_id`,`last_datetime`),
  CONSTRAINT `FK_56b94248cf930d1adc7cc07dd63` FOREIGN KEY (`campaign_id`) REFERENCES `campaigns` (`id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_a1ec3b4b4f2017665b534e60256` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `notifications` VALUES
(1, 1, 1, '0123456789abcdef0123456789abcdef', 'Oferta de verão', 'oferta de verao', 'COUPON', '{\"title\":\"Oferta\",\"coupon_code\":\"VERAO20\"}', 1, NULL, '2026-11-21 14:05:09');
CREATE TABLE `quota_counts` (
  `account_id` int NOT NULL,
  `name` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `started` bigint NOT NULL,
  `number` int NOT NULL,
  PRIMARY KEY (`account_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `quota_counts` VALUES
(1, 'deliveries:discord', '1795824000000', 6);
CREATE TABLE `receipts` (
  `sid` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `delivery_id` int DEFAULT NULL,
  `receipt` varchar(255) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`sid`),
  KEY `IDX_e99aa77fe490002912246e0d43` (`delivery_id`,`datetime`),
  CONSTRAINT `FK_a5bac6a3f8b39dc40c465f4cfd1` FOREIGN KEY (`delivery_id`) REFERENCES `deliveries` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `receipts` VALUES
('SM00000000000000000000000000000000', 7, NULL, '2026-11-28 20:53:14');
CREATE TABLE `scheduled_jobs` (
  `name` varchar(64) COLLATE utf8mb4_bin NOT NULL,
  `due` bigint NOT NULL,
  `failures` int NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `scheduled_jobs` VALUES
('delivery-retention', '1795902734750', 0),
('events', '1795902734750', 0),
('idempotency-keys', '1795902734750', 0),
('quota-counts', '1795985534750', 0);
CREATE TABLE `servicos` (
  `servicos_id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `servico_nome` varchar(128) COLLATE utf8mb4_bin NOT NULL,
  `servico_nome_folded` varchar(384) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`servicos_id`),
  KEY `IDX_334626f9288cff8435119c297d` (`account_id`,`servicos_id`),
  KEY `IDX_d0a795554e571389163fc0bb56` (`account_id`,`servico_nome_folded`),
  CONSTRAINT `FK_1a362d7f9fdeaa56ba62f5f467a` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `servicos` VALUES
(1, 1, 'Corte de cabelo', 'corte de cabelo'),
(2, 1, 'Barba', 'barba'),
(3, 1, 'Corte e barba', 'corte e barba'),
(4, 1, 'Coloração', 'coloracao'),
(5, 1, 'Hidratação', 'hidratacao');
CREATE TABLE `signing_secrets` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_id` int NOT NULL,
  `handler_id` int NOT NULL,
  `secret` text COLLATE utf8mb4_bin NOT NULL,
  `replaced_datetime` varchar(19) COLLATE utf8mb4_bin DEFAULT NULL,
  `datetime` varchar(19) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_5cf16d5951e4209a3a1e1a42ce` (`account_id`,`id`),
  KEY `IDX_ada4d33c96187bcf108451b3a5` (`handler_id`),
  CONSTRAINT `FK_48d8dd9eaa9ce7c9467e13410cd` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON DELETE RESTRICT,
  CONSTRAINT `FK_ada4d33c96187bcf108451b3a5b` FOREIGN KEY (`handler_id`) REFERENCES `notification_handlers` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `signing_secrets` VALUES
(1, 1, 2, '60f2a913.oo5gnIg6iYcltNrZ0b+xJtrHmKgJRPwokNX1EJUmy1L61lBIfwtFmp87TcIEaRyDdPYNSxIlqWqVpy1EsGvRZhf7WWqi43rkqU6k7RGa', NULL, '2026-11-28 20:53:14'),
(2, 1, 3, '60f2a913.P+66tj4RQx2s1rZbC2tarX015N6SvKAuLkWoH6OqmIm2ivj2eOwOqrfRVjMEObQdBRkn3K+uCs/5ImcbPA4zPslMOLqKWFdKIu2Q5aLR', NULL, '2026-11-28 20:53:14');
CREATE TABLE `stored_keys` (
  `id` int NOT NULL,
  `secret` text COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `stored_keys` VALUES
(1, '60f2a913.nHd06OODYa3v0mBtiriWUzcpec+v9JxGCoONQK7uWSHhV1G/YEb1SwlX+h3uZOlUfI0LXYjjBad7TAw+F8C0s4depbmywZ7q'),
(2, '60f2a913.JmBFX7OKDsG7YpR2zGofsaiTfNV8IfvhgnQuB3S6sDqA5OkIEejde6Z0OkSrucMavitoqp8I6MYDcqUaSvIJtTIf5fNxKLzy');
