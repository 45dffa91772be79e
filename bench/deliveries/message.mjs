export const MESSAGE = { title: 'Backup failed', text: 'The backup of 3 a.m. failed.', url: 'https://status.example.com/backups' };
