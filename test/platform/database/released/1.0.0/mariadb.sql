-- 10.11.19-MariaDB-0+deb12u1
SET foreign_key_checks = 0;
CREATE TABLE `accounts` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `name` varchar(128) NOT NULL,
  `disabled_datetime` varchar(19) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_2db43cdbf7bb862e577b5f540c` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `accounts` VALUES
(1, 'sandbox', NULL, '2026-11-28 20:51:24');
CREATE TABLE `agendamentos` (
  `agendamento_id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `nome` varchar(128) NOT NULL,
  `nome_folded` varchar(384) NOT NULL,
  `telefone` varchar(32) NOT NULL,
  `telefone_folded` varchar(96) NOT NULL,
  `data_hora` varchar(19) NOT NULL,
  `servicos_id` int(11) NOT NULL,
  `atendentes_id` int(11) NOT NULL,
  PRIMARY KEY (`agendamento_id`),
  KEY `IDX_8a93b4a0493a6882960076ffdb` (`account_id`,`agendamento_id`),
  KEY `IDX_5da2fa4e3c6e2cb2f348a25eaa` (`account_id`,`nome_folded`),
  KEY `IDX_d6f69566e4bbc94fd2d71f2b37` (`account_id`,`telefone_folded`),
  KEY `IDX_42168e5d7d170c66a10c12952c` (`account_id`,`data_hora`),
  KEY `IDX_e86f73f4de276f7815fc12cd6b` (`servicos_id`),
  KEY `IDX_e9be1b9c8b506cfcaeb67118ff` (`atendentes_id`),
  CONSTRAINT `FK_41eda9bcc6a2cf837c0e9297188` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_e86f73f4de276f7815fc12cd6b7` FOREIGN KEY (`servicos_id`) REFERENCES `servicos` (`servicos_id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_e9be1b9c8b506cfcaeb67118ffe` FOREIGN KEY (`atendentes_id`) REFERENCES `atendentes` (`atendentes_id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `agendamentos` VALUES
(1, 1, 'João da Silva', 'joao da silva', '(11) 98765-4321', '(11) 98765-4321', '2026-11-28 09:30:00', 1, 1),
(2, 1, 'Conceição Águas', 'conceicao aguas', '(21) 99876-5432', '(21) 99876-5432', '2026-11-28 10:00:00', 4, 2),
(3, 1, 'Inácio Gonçalves', 'inacio goncalves', '(31) 91234-5678', '(31) 91234-5678', '2026-11-29 14:30:00', 2, 1),
(4, 1, 'Érica Muñoz', 'erica munoz', '(11) 97654-3210', '(11) 97654-3210', '2026-11-30 09:00:00', 5, 2);
CREATE TABLE `api_keys` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `name` varchar(128) NOT NULL,
  `key_hash` varchar(64) NOT NULL,
  `scopes` varchar(512) NOT NULL,
  `has_all_scopes` tinyint(1) NOT NULL DEFAULT 0,
  `expires_datetime` varchar(19) DEFAULT NULL,
  `last_used_datetime` varchar(19) DEFAULT NULL,
  `revoked_datetime` varchar(19) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_57384430aa1959f4578046c9b8` (`key_hash`),
  KEY `IDX_decaf331589778e33441b2a8d9` (`account_id`),
  CONSTRAINT `FK_decaf331589778e33441b2a8d9e` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `api_keys` VALUES
(1, 1, 'sandbox', 'f55c274589a6927c1b77cc8b413568fb8927b910de0e2b9caeeb3eeb17c728d2', 'domains:read,domains:write,events:read,messages:read,messages:write,notification-handlers:read,notification-handlers:write,notifications:read,scheduling:read,secrets:read', 1, NULL, NULL, NULL, '2026-11-28 20:51:24'),
(2, 1, 'owner', 'e9bbe7650f5f25110182ba3ff7ab6d586b4b0b74710e36122a9450f24e26d0dd', 'domains:read,domains:write,events:read,keys:write,messages:read,messages:write,notification-handlers:read,notification-handlers:write,notifications:read,scheduling:read,secrets:read', 0, NULL, '2026-11-28 20:54:24', NULL, '2026-11-28 20:51:24'),
(3, 1, 'website', '57dd705316f65c597fb9b198f65585fcb9d8587deac391592a7cfca4504d6ac9', 'domains:read', 0, '2027-02-26 20:51:24', NULL, NULL, '2026-11-28 20:51:24');
CREATE TABLE `atendentes` (
  `atendentes_id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `atendente_nome` varchar(128) NOT NULL,
  `atendente_nome_folded` varchar(384) NOT NULL,
  `atendente_cargo` varchar(128) NOT NULL,
  `atendente_cargo_folded` varchar(384) NOT NULL,
  `atendente_diponivel` tinyint(1) NOT NULL,
  PRIMARY KEY (`atendentes_id`),
  KEY `IDX_b168318f0e079c3c4397e9ee5a` (`account_id`,`atendentes_id`),
  KEY `IDX_76bdfac752e1ab825daf83807d` (`account_id`,`atendente_nome_folded`),
  KEY `IDX_5a95f132ff51b7a991682b886e` (`account_id`,`atendente_cargo_folded`),
  KEY `IDX_b6360d6ee7f0165b8cfff33271` (`account_id`,`atendente_diponivel`),
  CONSTRAINT `FK_ea1c321be5fcde4d9d7e64932d4` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `atendentes` VALUES
(1, 1, 'Antônio Conceição', 'antonio conceicao', 'Barbeiro', 'barbeiro', 1),
(2, 1, 'Júlia Araújo', 'julia araujo', 'Cabeleireira', 'cabeleireira', 1),
(3, 1, 'Zé Luís Brandão', 'ze luis brandao', 'Barbeiro', 'barbeiro', 0);
CREATE TABLE `atendenteservico` (
  `atendenteservico_id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `atendentes_id` int(11) NOT NULL,
  `servicos_id` int(11) NOT NULL,
  PRIMARY KEY (`atendenteservico_id`),
  KEY `IDX_6b2dedd2b5fe9e956f87c7da55` (`account_id`,`atendenteservico_id`),
  KEY `IDX_43e7270af17efaf6c37a740e5c` (`atendentes_id`),
  KEY `IDX_89810bdc644c18873738a627e8` (`servicos_id`),
  CONSTRAINT `FK_43e7270af17efaf6c37a740e5c9` FOREIGN KEY (`atendentes_id`) REFERENCES `atendentes` (`atendentes_id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_89810bdc644c18873738a627e84` FOREIGN KEY (`servicos_id`) REFERENCES `servicos` (`servicos_id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_8a448fa4248cd32de59027948f5` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `atendenteservico` VALUES
(1, 1, 1, 1),
(2, 1, 1, 2),
(3, 1, 2, 4),
(4, 1, 2, 5),
(5, 1, 3, 3);
CREATE TABLE `campaigns` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `name` varchar(128) NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_ede26910e696414505594a7e61` (`account_id`,`id`),
  CONSTRAINT `FK_6fca73bc027c168f88c54e2f112` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `campaigns` VALUES
(1, 1, 'Primavera', 1, '2026-11-21 14:05:09');
CREATE TABLE `deliveries` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `message_id` int(11) NOT NULL,
  `handler_id` int(11) NOT NULL,
  `step` int(11) NOT NULL DEFAULT 0,
  `type` varchar(32) NOT NULL,
  `lane` varchar(64) NOT NULL,
  `status` varchar(16) NOT NULL,
  `part` varchar(16) NOT NULL,
  `attempts` int(11) NOT NULL,
  `tries` int(11) NOT NULL,
  `is_counted` tinyint(1) NOT NULL,
  `has_content` tinyint(1) NOT NULL DEFAULT 0,
  `next_attempt` bigint(20) DEFAULT NULL,
  `started` bigint(20) DEFAULT NULL,
  `send_at` bigint(20) DEFAULT NULL,
  `lease` varchar(36) DEFAULT NULL,
  `outcome` varchar(32) DEFAULT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `cancelled_by` int(11) DEFAULT NULL,
  `cancelled_as` varchar(16) DEFAULT NULL,
  `event_id` varchar(40) DEFAULT NULL,
  `until` varchar(16) DEFAULT NULL,
  `receipt` varchar(255) DEFAULT NULL,
  `last_datetime` varchar(19) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_4ab201414d33b6216f48e5ec09` (`account_id`,`id`),
  KEY `IDX_9a957f5edd83cebe6c0c4fc408` (`account_id`,`datetime`,`id`,`status`,`outcome`,`handler_id`),
  KEY `IDX_8406b56c84d5f0914dd5d7b3dc` (`account_id`,`status`),
  KEY `IDX_1de618e0f5bb5cb9b455472309` (`account_id`,`outcome`),
  KEY `IDX_c30e71cddbcc0c5685a7bb792f` (`lane`,`lease`,`next_attempt`),
  KEY `IDX_84dfe9bef8b1e11dca4616c06c` (`message_id`,`status`),
  KEY `IDX_60aa401357dffe4ee8b0a501a8` (`handler_id`),
  KEY `IDX_6e1c89148d745c2070c4bac0fa` (`expires_at`),
  CONSTRAINT `FK_19ad1003a453736973ea6c728e7` FOREIGN KEY (`message_id`) REFERENCES `messages` (`id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_bcc7cb962410f56a0aaf8c5ec28` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `deliveries` VALUES
(1, 1, 1, 1, 0, 'discord', 'discord:1', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_de6056519e_7', NULL, NULL, '2026-11-28 20:51:24', '2026-11-28 20:51:24'),
(2, 1, 2, 1, 0, 'discord', 'discord:1', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_de6056519e_8', NULL, NULL, '2026-11-28 20:51:24', '2026-11-28 20:51:24'),
(3, 1, 3, 1, 0, 'discord', 'discord:1', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_de6056519e_9', NULL, NULL, '2026-11-28 20:51:24', '2026-11-28 20:51:24'),
(4, 1, 4, 1, 0, 'discord', 'discord:1', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_de6056519e_10', NULL, NULL, '2026-11-28 20:51:24', '2026-11-28 20:51:24'),
(5, 1, 5, 2, 0, 'webhook', 'webhook:2', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:52:24', '2026-11-28 20:52:24'),
(6, 1, 5, 3, 0, 'webhook', 'webhook:3', 'failed', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'rejected', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:52:24', '2026-11-28 20:52:24'),
(7, 1, 5, 4, 0, 'twilio', 'twilio:4', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:52:24', '2026-11-28 20:52:24'),
(8, 1, 6, 2, 0, 'webhook', 'webhook:2', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, NULL, 'acknowledged', NULL, '2026-11-28 20:52:24', '2026-11-28 20:52:24'),
(9, 1, 6, 4, 1, 'twilio', 'twilio:4', 'cancelled', 'fcc804cc0dac', 0, 0, 0, 0, NULL, NULL, '1795899444610', NULL, NULL, NULL, NULL, 'wait_ended', NULL, 'acknowledged', NULL, '2026-11-28 20:53:24', '2026-11-28 20:52:24'),
(10, 1, 7, 1, 0, 'discord', 'discord:1', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_de6056519e_14', NULL, NULL, '2026-11-28 20:52:24', '2026-11-28 20:52:24'),
(11, 1, 8, 2, 0, 'webhook', 'webhook:2', 'pending', 'fcc804cc0dac', 0, 0, 0, 0, '1795902804610', NULL, '1795902804610', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 20:53:24'),
(12, 1, 9, 1, 0, 'discord', 'discord:1', 'delivered', 'fcc804cc0dac', 1, 1, 1, 0, NULL, NULL, NULL, NULL, 'delivered', NULL, NULL, NULL, 'evt_de6056519e_7', NULL, NULL, '2026-11-28 20:53:24', '2026-11-28 20:53:24');
CREATE TABLE `delivery_attempts` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `delivery_id` int(11) NOT NULL,
  `number` int(11) NOT NULL,
  `datetime` varchar(19) NOT NULL,
  `duration_ms` int(11) NOT NULL,
  `outcome` varchar(32) NOT NULL,
  `status` int(11) DEFAULT NULL,
  `detail` varchar(255) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_3ea9821a5293464961f6a71691` (`account_id`,`id`),
  KEY `IDX_a9d7e7212c87084249a641ab45` (`delivery_id`),
  CONSTRAINT `FK_294539cf6e249093ee6cb76ed7a` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_a9d7e7212c87084249a641ab455` FOREIGN KEY (`delivery_id`) REFERENCES `deliveries` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `delivery_attempts` VALUES
(1, 1, 1, 1, '2026-11-28 20:51:24', 7, 'delivered', 204, 'The receiver answered 204.'),
(2, 1, 2, 1, '2026-11-28 20:51:24', 8, 'delivered', 204, 'The receiver answered 204.'),
(3, 1, 3, 1, '2026-11-28 20:51:24', 8, 'delivered', 204, 'The receiver answered 204.'),
(4, 1, 4, 1, '2026-11-28 20:51:24', 9, 'delivered', 204, 'The receiver answered 204.'),
(5, 1, 7, 1, '2026-11-28 20:52:24', 4, 'delivered', 201, 'The receiver answered 201.'),
(6, 1, 5, 1, '2026-11-28 20:52:24', 5, 'delivered', 200, 'The receiver answered 200.'),
(7, 1, 6, 1, '2026-11-28 20:52:24', 15, 'rejected', 410, 'The receiver answered 410.'),
(8, 1, 8, 1, '2026-11-28 20:52:24', 1, 'delivered', 200, 'The receiver answered 200.'),
(9, 1, 10, 1, '2026-11-28 20:52:24', 1, 'delivered', 204, 'The receiver answered 204.'),
(10, 1, 12, 1, '2026-11-28 20:53:24', 2, 'delivered', 204, 'The receiver answered 204.');
CREATE TABLE `delivery_lanes` (
  `account_id` int(11) NOT NULL,
  `lane` varchar(64) NOT NULL,
  `available` bigint(20) DEFAULT NULL,
  `paused_until` bigint(20) NOT NULL,
  `is_slow` tinyint(1) NOT NULL,
  `last_ms` int(11) DEFAULT NULL,
  `last_claim` bigint(20) NOT NULL,
  PRIMARY KEY (`lane`),
  KEY `IDX_76b2e7916246cac1ebb78cf811` (`is_slow`,`available`),
  KEY `IDX_3557153935b29206579a2a2141` (`account_id`,`is_slow`,`available`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `delivery_lanes` VALUES
(1, 'discord:1', NULL, '0', 0, 2, '1795899204610'),
(1, 'twilio:4', '1795899444610', '0', 0, 4, '1795899144610'),
(1, 'webhook:2', '1795902804610', '0', 0, 1, '1795899144610'),
(1, 'webhook:3', NULL, '0', 0, 15, '1795899144610');
CREATE TABLE `domain_verifications` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `domain_id` int(11) NOT NULL,
  `host` varchar(253) NOT NULL,
  `status` varchar(8) NOT NULL,
  `is_by_operator` tinyint(1) NOT NULL,
  `started` bigint(20) NOT NULL,
  `checks` int(11) NOT NULL,
  `checked` bigint(20) DEFAULT NULL,
  `due` bigint(20) DEFAULT NULL,
  `misses` int(11) NOT NULL,
  `last_miss` bigint(20) DEFAULT NULL,
  `lost` bigint(20) DEFAULT NULL,
  `problems` text NOT NULL,
  `certificate` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_9e247ea812d877148788da45f5` (`domain_id`),
  KEY `IDX_7de8f38340914c9abf01feecfd` (`account_id`,`due`),
  KEY `IDX_0ca739fe91506d7c49c4967a99` (`due`),
  CONSTRAINT `FK_9e247ea812d877148788da45f57` FOREIGN KEY (`domain_id`) REFERENCES `domains` (`id`) ON DELETE CASCADE ON UPDATE NO ACTION,
  CONSTRAINT `FK_e54b339a0459f5f6db4f58e981a` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `domain_verifications` VALUES
(1, 1, 1, 'shop.example.com', 'verified', 0, '1795899084610', 0, '1795899084610', '1795985484610', 0, NULL, NULL, '[]', NULL),
(2, 1, 2, 'blog.example.com', 'pending', 0, '1795899084610', 3, '1795899154610', '1795899454610', 0, NULL, NULL, '[{\"code\":\"txt_missing\",\"detail\":\"Set a TXT record at _frontdesk.blog.example.com with the value in records; there is none.\"}]', NULL),
(3, 1, 3, 'docs.example.com', 'pending', 0, '1795899084610', 3, '1795899154610', '1795899454610', 0, NULL, NULL, '[{\"code\":\"txt_missing\",\"detail\":\"Set a TXT record at _frontdesk.docs.example.com with the value in records; there is none.\"}]', NULL),
(5, 1, 5, 'once.example.com', 'pending', 0, '1795899144610', 3, '1795899214610', '1795899514610', 0, NULL, NULL, '[{\"code\":\"txt_missing\",\"detail\":\"Set a TXT record at _frontdesk.once.example.com with the value in records; there is none.\"}]', NULL);
CREATE TABLE `domains` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `scheme` varchar(8) NOT NULL,
  `host` varchar(253) NOT NULL,
  `custom_index_url` varchar(2048) NOT NULL,
  `custom_not_found_url` varchar(2048) NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `last_datetime` varchar(19) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_7f1bc54f0ab0c3a62c69c800ee` (`host`),
  KEY `IDX_5d40840438d6b01a2406017108` (`account_id`,`id`),
  KEY `IDX_2a30c885582fb7628aeb1f7911` (`account_id`,`host`),
  KEY `IDX_b8140649fccede27962b3baf82` (`account_id`,`datetime`),
  KEY `IDX_2d2ecda812a316a430605edda3` (`account_id`,`last_datetime`),
  CONSTRAINT `FK_a525bf28362672f3677fe13241d` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `domains` VALUES
(1, 1, 'https://', 'shop.example.com', '', '', 1, NULL, '2026-11-28 20:51:24'),
(2, 1, 'https://', 'blog.example.com', 'https://example.com/blog?é=1', '', 1, '2026-11-28 20:51:24', '2026-11-28 20:51:24'),
(3, 1, 'https://', 'docs.example.com', '', '', 1, NULL, '2026-11-28 20:51:24'),
(5, 1, 'https://', 'once.example.com', '', '', 1, NULL, '2026-11-28 20:52:24');
CREATE TABLE `event_cursors` (
  `account_id` int(11) NOT NULL,
  `number` bigint(20) NOT NULL,
  `event_id` bigint(20) NOT NULL,
  PRIMARY KEY (`account_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `event_cursors` VALUES
(1, '8', '30');
CREATE TABLE `event_epochs` (
  `name` varchar(16) NOT NULL,
  `start` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `event_epochs` VALUES
('de6056519e', '1');
CREATE TABLE `event_log` (
  `id` int(11) NOT NULL,
  `last` bigint(20) NOT NULL,
  `floor` bigint(20) NOT NULL,
  `secret` varchar(64) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `event_log` VALUES
(1, '8', '0', '945dae903b5fd03cf96d08fa61d4b192ff9d436a01b0cae7cf27c216bcae8f9e');
CREATE TABLE `events` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `datetime` varchar(19) NOT NULL,
  `account_id` int(11) NOT NULL,
  `key_id` int(11) DEFAULT NULL,
  `action` varchar(16) NOT NULL,
  `record` varchar(32) NOT NULL,
  `record_id` int(11) DEFAULT NULL,
  `request_id` varchar(128) DEFAULT NULL,
  `number` bigint(20) DEFAULT NULL,
  `is_audited` tinyint(1) NOT NULL DEFAULT 1,
  `is_by_service` tinyint(1) NOT NULL DEFAULT 0,
  `data` text DEFAULT NULL,
  `host` varchar(253) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_17419daebf00920c7e29547189` (`number`),
  KEY `IDX_eb2db61787605929672c898f32` (`account_id`,`number`)
) ENGINE=InnoDB AUTO_INCREMENT=30 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `events` VALUES
('1', '2026-11-28 20:51:24', 1, NULL, 'create', 'account', 1, NULL, '1', 1, 0, NULL, NULL),
('2', '2026-11-28 20:51:24', 1, NULL, 'create', 'key', 1, NULL, '1', 1, 0, '{\"name\":\"sandbox\"}', NULL),
('3', '2026-11-28 20:51:24', 1, NULL, 'create', 'key', 2, NULL, '2', 1, 0, '{\"name\":\"owner\"}', NULL),
('4', '2026-11-28 20:51:24', 1, 2, 'create', 'key', 3, '901342f7-09dd-4f76-9ebb-5cfcab7e714a', '2', 1, 0, '{\"name\":\"website\"}', NULL),
('5', '2026-11-28 20:51:24', 1, 2, 'create', 'notification handler', 1, 'ea1c8223-9b88-46c8-a098-c5b4d214f2b5', '2', 1, 0, NULL, NULL),
('6', '2026-11-28 20:51:24', 1, 2, 'set_events', 'notification handler', 1, '4bb995b3-a144-416d-bcbc-df6d22ab066d', '3', 1, 0, NULL, NULL),
('7', '2026-11-28 20:51:24', 1, 2, 'create', 'domain', 1, 'd9ab89f4-fdfd-4feb-bcd5-cede71ddeed2', '3', 1, 0, NULL, NULL),
('8', '2026-11-28 20:51:24', 1, 2, 'create', 'domain', 2, 'b15d8bc3-bb32-4ad0-8fb8-5a7f48ee826d', '3', 1, 0, NULL, NULL),
('9', '2026-11-28 20:51:24', 1, 2, 'create', 'domain', 3, '582e34d7-7244-4cad-bb8d-859e28047af1', '3', 1, 0, NULL, NULL),
('10', '2026-11-28 20:51:24', 1, 2, 'create', 'domain', 4, '2c4ee8f0-d0ba-4d6f-88dd-511c163967d1', '3', 1, 0, NULL, NULL),
('11', '2026-11-28 20:51:24', 1, 2, 'update', 'domain', 2, '0cd1a3d7-e491-4ae8-959c-8c1549596e14', '3', 1, 0, '{\"changed\":[\"host\",\"custom_index_url\"]}', 'blog.example.com'),
('12', '2026-11-28 20:51:24', 1, 2, 'delete', 'domain', 4, '71ff0b92-d7c7-4ac3-a40e-36eb02e6a539', '3', 1, 0, '{\"host\":\"gone.example.com\"}', 'gone.example.com'),
('13', '2026-11-28 20:51:24', 1, NULL, 'verify', 'domain', 1, NULL, '4', 0, 1, NULL, 'shop.example.com'),
('14', '2026-11-28 20:52:24', 1, 2, 'create', 'domain', 5, '70b9e8a8-d775-4aae-969e-1c79c2eb7acd', '5', 1, 0, NULL, NULL),
('15', '2026-11-28 20:52:24', 1, 2, 'create', 'notification handler', 2, 'c3e838da-d26c-47b0-9f0b-bf19cd2cc0ab', '5', 1, 0, NULL, NULL),
('16', '2026-11-28 20:52:24', 1, 2, 'create', 'notification handler', 3, '897fc171-574b-4d25-a7ba-edf6a8cc83c2', '5', 1, 0, NULL, NULL),
('17', '2026-11-28 20:52:24', 1, 2, 'create', 'notification handler', 4, '715b7fb9-6386-4e52-bfe8-7cfdeed6998f', '5', 1, 0, NULL, NULL),
('18', '2026-11-28 20:52:24', 1, 2, 'create', 'signing secret', 2, '3549922c-6c3d-4ffb-ab89-7b2cdb0fe2a2', '5', 1, 0, NULL, NULL),
('19', '2026-11-28 20:52:24', 1, 2, 'create', 'message', 5, '5b96f76e-2d45-4954-9dce-b11bdb734f20', '5', 1, 0, NULL, NULL),
('20', '2026-11-28 20:52:24', 1, 2, 'create', 'message', 6, '15beeaa8-941c-4422-aa1f-32b14a9ff9fc', '5', 1, 0, NULL, NULL),
('21', '2026-11-28 20:52:24', 1, NULL, 'create', 'signing secret', 3, NULL, '5', 1, 0, NULL, NULL),
('22', '2026-11-28 20:52:24', 1, NULL, 'deliver', 'delivery', 7, NULL, '6', 0, 1, '{\"message_id\":5,\"handler_id\":4,\"outcome\":\"delivered\"}', NULL),
('23', '2026-11-28 20:52:24', 1, NULL, 'deliver', 'delivery', 5, NULL, '6', 0, 1, '{\"message_id\":5,\"handler_id\":2,\"outcome\":\"delivered\"}', NULL),
('24', '2026-11-28 20:52:24', 1, NULL, 'fail', 'delivery', 6, NULL, '6', 0, 1, '{\"message_id\":5,\"handler_id\":3,\"outcome\":\"rejected\"}', NULL),
('25', '2026-11-28 20:52:24', 1, NULL, 'deliver', 'delivery', 8, NULL, '6', 0, 1, '{\"message_id\":6,\"handler_id\":2,\"outcome\":\"delivered\"}', NULL),
('26', '2026-11-28 20:53:24', 1, 2, 'cancel', 'delivery', 9, 'c309d0e1-9c63-46a1-9a4b-f86ed6058190', '7', 0, 0, '{\"message_id\":6,\"handler_id\":4,\"outcome\":null}', NULL),
('27', '2026-11-28 20:53:24', 1, 2, 'acknowledge', 'message', 6, 'c309d0e1-9c63-46a1-9a4b-f86ed6058190', '7', 1, 0, NULL, NULL),
('28', '2026-11-28 20:53:24', 1, 2, 'create', 'message', 8, 'df7644df-6620-4b11-a90e-a00a6f422c32', '7', 1, 0, NULL, NULL),
('29', '2026-11-28 20:53:24', 1, 2, 'replay', 'notification handler', 1, '75886983-4418-4d05-b2fc-1bad86c0535b', '8', 1, 0, NULL, NULL);
CREATE TABLE `handler_events` (
  `handler_id` int(11) NOT NULL,
  `account_id` int(11) NOT NULL,
  `types` text NOT NULL,
  `since` bigint(20) NOT NULL,
  PRIMARY KEY (`handler_id`),
  KEY `IDX_7fec6b478e57db6708882ed574` (`account_id`),
  CONSTRAINT `FK_741775eb94e6532b0b756c5f58c` FOREIGN KEY (`handler_id`) REFERENCES `notification_handlers` (`id`) ON DELETE CASCADE ON UPDATE NO ACTION
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `handler_events` VALUES
(1, 1, 'domain.created', '2');
CREATE TABLE `handler_replays` (
  `handler_id` int(11) NOT NULL,
  `account_id` int(11) NOT NULL,
  `number` bigint(20) NOT NULL,
  `event_id` bigint(20) NOT NULL,
  `end_number` bigint(20) NOT NULL,
  `end_event_id` bigint(20) NOT NULL,
  `share_ends` bigint(20) NOT NULL,
  `sent` int(11) NOT NULL,
  `share` int(11) NOT NULL,
  `min_datetime` varchar(19) NOT NULL,
  `max_datetime` varchar(19) NOT NULL,
  `from_datetime` varchar(19) NOT NULL,
  `until_datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`handler_id`),
  KEY `IDX_e0763e14492eb91f9a776c45af` (`account_id`),
  CONSTRAINT `FK_33ad01ff540ae300f55eae33d22` FOREIGN KEY (`handler_id`) REFERENCES `notification_handlers` (`id`) ON DELETE CASCADE ON UPDATE NO ACTION
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `handler_replays` VALUES
(1, 1, '3', '8', '8', '0', '1795910400000', 1, 0, '2026-11-28 19:53:24', '9999-12-31 23:59:59', '2026-11-28 19:53:24', '2026-11-28 20:53:24');
CREATE TABLE `horarios` (
  `horarios_id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `horario_id` varchar(64) NOT NULL,
  `horario_id_folded` varchar(192) NOT NULL,
  `horario_disponivel` tinyint(1) NOT NULL,
  PRIMARY KEY (`horarios_id`),
  KEY `IDX_d1ff00a35f1286879152319795` (`account_id`,`horarios_id`),
  KEY `IDX_0b8331f1b0723aa3e34b4327c0` (`account_id`,`horario_id_folded`),
  KEY `IDX_5847d5c96ada35c93d52da24f0` (`account_id`,`horario_disponivel`),
  CONSTRAINT `FK_5478eb407dbab7b2cc611e6e691` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `horarios` VALUES
(1, 1, '09:00', '09:00', 1),
(2, 1, '09:30', '09:30', 0),
(3, 1, '10:00', '10:00', 1),
(4, 1, '14:30', '14:30', 1);
CREATE TABLE `idempotency_keys` (
  `key_hash` varchar(64) NOT NULL,
  `account_id` int(11) NOT NULL,
  `fingerprint` varchar(64) NOT NULL,
  `record_id` int(11) NOT NULL,
  `is_repeat` tinyint(1) NOT NULL DEFAULT 0,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`key_hash`),
  KEY `IDX_2fce765c0a9afca71085de6755` (`account_id`),
  KEY `IDX_21bcc8e3cdf800a900cec82a0e` (`datetime`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `idempotency_keys` VALUES
('b6d998b6ecfcc1d2e9ce3ab247780abb76f701951f938a4c274f8a7551a90656', 1, '62874c58c92e49486f744206d62361711200590a6176b718815181b77e0f41d4', 5, 0, '2026-11-28 20:52:24');
CREATE TABLE `installations` (
  `id` int(11) NOT NULL,
  `part` varchar(16) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `installations` VALUES
(1, 'fcc804cc0dac');
CREATE TABLE `list_changes` (
  `account_id` int(11) NOT NULL,
  `list` varchar(64) NOT NULL,
  `shard` int(11) NOT NULL,
  `inserted` bigint(20) NOT NULL,
  `deleted` bigint(20) NOT NULL,
  `updated` bigint(20) NOT NULL,
  `uncounted` bigint(20) NOT NULL,
  PRIMARY KEY (`account_id`,`list`,`shard`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `list_changes` VALUES
(0, 'handler_events', 21, '0', '0', '0', '1'),
(0, 'handler_replays', 10, '0', '0', '0', '1'),
(0, 'quota_counts', 20, '0', '0', '0', '1'),
(0, 'signing_secrets', 21, '0', '0', '0', '1'),
(1, 'agendamentos', 15, '0', '0', '0', '4'),
(1, 'api_keys', 10, '1', '0', '0', '0'),
(1, 'api_keys', 20, '1', '0', '0', '0'),
(1, 'api_keys', 21, '1', '0', '0', '0'),
(1, 'atendentes', 15, '0', '0', '0', '3'),
(1, 'atendenteservico', 15, '0', '0', '0', '5'),
(1, 'campaigns', 15, '1', '0', '0', '0'),
(1, 'deliveries', 10, '2', '0', '0', '0'),
(1, 'deliveries', 20, '1', '0', '0', '0'),
(1, 'deliveries', 21, '9', '0', '0', '0'),
(1, 'domain_verifications', 21, '0', '0', '1', '1'),
(1, 'domains', 21, '5', '1', '1', '0'),
(1, 'event_cursors', 21, '0', '0', '0', '1'),
(1, 'handler_events', 21, '0', '0', '0', '1'),
(1, 'handler_replays', 10, '0', '0', '0', '1'),
(1, 'horarios', 15, '0', '0', '0', '4'),
(1, 'messages', 10, '2', '0', '0', '0'),
(1, 'messages', 20, '1', '0', '0', '0'),
(1, 'messages', 21, '6', '0', '0', '0'),
(1, 'notification_handlers', 21, '4', '0', '0', '0'),
(1, 'notifications', 15, '1', '0', '0', '0'),
(1, 'servicos', 15, '0', '0', '0', '5'),
(1, 'signing_secrets', 21, '0', '0', '0', '2');
CREATE TABLE `message_keys` (
  `key_hash` varchar(64) NOT NULL,
  `account_id` int(11) NOT NULL,
  `message_id` int(11) NOT NULL,
  `until` bigint(20) NOT NULL,
  PRIMARY KEY (`key_hash`),
  KEY `IDX_cdf6872d3503156d8012dbea26` (`account_id`),
  KEY `IDX_ae0c3e326c518755c3c1dc98d1` (`until`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `message_keys` VALUES
('42b0532ad1df1ff3aad0ad9c16140cac4c458436557ce9da6edeec9879b1bbfa', 1, 6, '1795985544610');
CREATE TABLE `messages` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `title` varchar(200) NOT NULL,
  `text` text NOT NULL,
  `url` varchar(2048) NOT NULL,
  `traceparent` varchar(55) DEFAULT NULL,
  `event` text DEFAULT NULL,
  `send_at` bigint(20) DEFAULT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `until` varchar(16) DEFAULT NULL,
  `acknowledged` varchar(64) DEFAULT NULL,
  `repeats` int(11) NOT NULL DEFAULT 0,
  `datetime` varchar(19) NOT NULL,
  `content_folded` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_acc94bdd73f3834e52f1c13e8d` (`account_id`,`id`),
  KEY `IDX_bc0a80218c2b2360bea7fedce0` (`account_id`,`datetime`),
  CONSTRAINT `FK_d61d1bec4a104d044b6e5abd843` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `messages` VALUES
(1, 1, 'Domain created', 'shop.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:51:24', 'domain created\nshop.example.com was added. it is served once its txt record is found in dns.'),
(2, 1, 'Domain created', 'blog.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:51:24', 'domain created\nblog.example.com was added. it is served once its txt record is found in dns.'),
(3, 1, 'Domain created', 'docs.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:51:24', 'domain created\ndocs.example.com was added. it is served once its txt record is found in dns.'),
(4, 1, 'Domain created', 'The domain 4 was created.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:51:24', 'domain created\nthe domain 4 was created.'),
(5, 1, 'Café', 'The backup failed.\n\'\"\\%_ 😀', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:52:24', 'cafe\nthe backup failed.\n\'\"\\%_ 😀'),
(6, 1, '', 'db-1 is down', '', NULL, NULL, NULL, NULL, 'acknowledged', '{\"datetime\":\"2026-11-28 20:53:24\",\"delivery_id\":null}', 1, '2026-11-28 20:52:24', '\ndb-1 is down'),
(7, 1, 'Domain created', 'once.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:52:24', 'domain created\nonce.example.com was added. it is served once its txt record is found in dns.'),
(8, 1, '', 'In an hour', '', NULL, NULL, '1795902804610', NULL, NULL, NULL, 0, '2026-11-28 20:53:24', '\nin an hour'),
(9, 1, 'Domain created', 'shop.example.com was added. It is served once its TXT record is found in DNS.', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '2026-11-28 20:53:24', 'domain created\nshop.example.com was added. it is served once its txt record is found in dns.');
CREATE TABLE `migrations` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `timestamp` bigint(20) NOT NULL,
  `name` varchar(255) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
INSERT INTO `migrations` VALUES
(1, '1795200050600', 'InitialSchema1795200050600');
CREATE TABLE `notification_handlers` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `type` varchar(32) NOT NULL,
  `name` varchar(128) NOT NULL,
  `name_folded` varchar(384) NOT NULL DEFAULT '',
  `settings` text NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `last_datetime` varchar(19) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_da289408c4acd0d8e72e240711` (`account_id`,`id`),
  KEY `IDX_c942070d8b6a49034e13895390` (`account_id`,`name_folded`),
  KEY `IDX_7c0096da9bf2a55c5df2d20829` (`account_id`,`type`),
  KEY `IDX_5295f5b4071581e4cac2b78ca8` (`account_id`,`datetime`),
  KEY `IDX_bcde5800d4d19ac95874207cdc` (`account_id`,`last_datetime`),
  CONSTRAINT `FK_98859c80b585280815c631d9982` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `notification_handlers` VALUES
(1, 1, 'discord', 'Plantão', 'plantao', '6b6a81f1.xd2BYgS6EYZ477MwRCnLLLwz+ycwv3lZ6trZca1A5jC1ExVjwFC3zAv4i9eVk+LdsNVuNeC/dWtuPvUB7/JlDm3TPEAxIew=', 1, NULL, '2026-11-28 20:51:24'),
(2, 1, 'webhook', 'Pager', 'pager', '6b6a81f1.K3YbymYLtjK0V98Q4LNDAtciEnaiNZ1IYwKZRdxM3Yr7lOs00SGyPeJ/UcutpRJuT/Vh5XbZ7W4JWpH7XM+2jwzTxryw', 1, NULL, '2026-11-28 20:52:24'),
(3, 1, 'webhook', 'Gone', 'gone', '6b6a81f1.zvDpBqgLZ0+ljgl7+dmmHRzczbXgImD3TnGFibpAWYVk2wNxZ/00XYMThTpiIRw5khA3ADEgkMFxfP/pMpj2i7cJLRA=', 1, NULL, '2026-11-28 20:52:24'),
(4, 1, 'twilio', 'Night shift 😀', 'night shift 😀', '6b6a81f1.Xu46FhH5V+kLcMqyCsCNojFVHCoG/EFVKg9EKvJ5dXMKjOpwXQn/AnZkzAtWbAxC2zsoozH7Nw==', 1, NULL, '2026-11-28 20:52:24');
CREATE TABLE `notifications` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `campaign_id` int(11) NOT NULL,
  `notification_key` varchar(32) NOT NULL,
  `name` varchar(128) NOT NULL,
  `name_folded` varchar(384) NOT NULL DEFAULT '',
  `type` varchar(64) NOT NULL,
  `settings` text NOT NULL,
  `is_enabled` tinyint(1) NOT NULL,
  `last_datetime` varchar(19) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `IDX_da4ec0cfba8bfca00dfa0e85fb` (`notification_key`),
  KEY `IDX_15ee314c57c1d9d9c5ce77cb93` (`account_id`,`id`),
  KEY `IDX_56b94248cf930d1adc7cc07dd6` (`campaign_id`),
  KEY `IDX_9a29519a86184cb6e7018dab08` (`account_id`,`name_folded`),
  KEY `IDX_77bc0afb4f7315ade972c459ba` (`account_id`,`type`),
  KEY `IDX_e4fda7d5a455548a859a25d0bf` (`account_id`,`datetime`),
  KEY `IDX_5fe9c3190343dd73670bcc4f70` (`account_id`,`last_datetime`),
  CONSTRAINT `FK_56b94248cf930d1adc7cc07dd63` FOREIGN KEY (`campaign_id`) REFERENCES `campaigns` (`id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_a1ec3b4b4f2017665b534e60256` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `notifications` VALUES
(1, 1, 1, '0123456789abcdef0123456789abcdef', 'Oferta de verão', 'oferta de verao', 'COUPON', '{\"title\":\"Oferta\",\"coupon_code\":\"VERAO20\"}', 1, NULL, '2026-11-21 14:05:09');
CREATE TABLE `quota_counts` (
  `account_id` int(11) NOT NULL,
  `name` varchar(64) NOT NULL,
  `started` bigint(20) NOT NULL,
  `number` int(11) NOT NULL,
  PRIMARY KEY (`account_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `quota_counts` VALUES
(1, 'deliveries:discord', '1795824000000', 6);
CREATE TABLE `receipts` (
  `sid` varchar(64) NOT NULL,
  `delivery_id` int(11) DEFAULT NULL,
  `receipt` varchar(255) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`sid`),
  KEY `IDX_e99aa77fe490002912246e0d43` (`delivery_id`,`datetime`),
  CONSTRAINT `FK_a5bac6a3f8b39dc40c465f4cfd1` FOREIGN KEY (`delivery_id`) REFERENCES `deliveries` (`id`) ON DELETE CASCADE ON UPDATE NO ACTION
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `receipts` VALUES
('SM00000000000000000000000000000000', 7, NULL, '2026-11-28 20:52:24');
CREATE TABLE `scheduled_jobs` (
  `name` varchar(64) NOT NULL,
  `due` bigint(20) NOT NULL,
  `failures` int(11) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `scheduled_jobs` VALUES
('delivery-retention', '1795902684610', 0),
('events', '1795902684610', 0),
('idempotency-keys', '1795902684610', 0),
('quota-counts', '1795985484610', 0);
CREATE TABLE `servicos` (
  `servicos_id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `servico_nome` varchar(128) NOT NULL,
  `servico_nome_folded` varchar(384) NOT NULL,
  PRIMARY KEY (`servicos_id`),
  KEY `IDX_334626f9288cff8435119c297d` (`account_id`,`servicos_id`),
  KEY `IDX_d0a795554e571389163fc0bb56` (`account_id`,`servico_nome_folded`),
  CONSTRAINT `FK_1a362d7f9fdeaa56ba62f5f467a` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `servicos` VALUES
(1, 1, 'Corte de cabelo', 'corte de cabelo'),
(2, 1, 'Barba', 'barba'),
(3, 1, 'Corte e barba', 'corte e barba'),
(4, 1, 'Coloração', 'coloracao'),
(5, 1, 'Hidratação', 'hidratacao');
CREATE TABLE `signing_secrets` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `account_id` int(11) NOT NULL,
  `handler_id` int(11) NOT NULL,
  `secret` text NOT NULL,
  `replaced_datetime` varchar(19) DEFAULT NULL,
  `datetime` varchar(19) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `IDX_5cf16d5951e4209a3a1e1a42ce` (`account_id`,`id`),
  KEY `IDX_ada4d33c96187bcf108451b3a5` (`handler_id`),
  CONSTRAINT `FK_48d8dd9eaa9ce7c9467e13410cd` FOREIGN KEY (`account_id`) REFERENCES `accounts` (`id`) ON UPDATE NO ACTION,
  CONSTRAINT `FK_ada4d33c96187bcf108451b3a5b` FOREIGN KEY (`handler_id`) REFERENCES `notification_handlers` (`id`) ON DELETE CASCADE ON UPDATE NO ACTION
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `signing_secrets` VALUES
(1, 1, 2, '6b6a81f1.B7uac8pWuNyWbBQGFxXRB+8AsBNRfzYZ+m7Il+egKABJAWopZmCJgvoz1++30aOhm3W42AFZ0JLcZKBsum6mpJQdx46QXJ+CLB73yZTn', NULL, '2026-11-28 20:52:24'),
(2, 1, 3, '6b6a81f1.BXvZXe4v1ShzYsIGm8SrsB6LPFhJnmMK9//4tSyZs6iOyCfmSiNmgRvEwYxdlMOp7LQCMvcv0TbNJ8QMO0+n1N7wGXG1iCjjaMhyID0n', NULL, '2026-11-28 20:52:24');
CREATE TABLE `stored_keys` (
  `id` int(11) NOT NULL,
  `secret` text NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `stored_keys` VALUES
(1, '6b6a81f1.xOrHu3FtUR9wU5lLacsN28gE6hJABIyH90bEEmvSNjl8bKOiRsiCUafbewbhXo9Mu1NwrqknnSzKCl+68OqnZLEsaGFgyCs6'),
(2, '6b6a81f1.T1MqS1703P6PZPR9fkXKYlYP7aJpEKrnG/goRRkvsbbWc0R1rc6oxVFTUv8U/b6GPMwfjrOYsMIR53hotxaFl/tTwAcPdtWj');
