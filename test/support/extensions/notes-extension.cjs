const { EntitySchema, Table } = require('typeorm');

/** Tables with a reserved word as a column, rows that refer to later ones, a text key and times. */
class CreateNotes1795200070000 {
  name = 'CreateNotes1795200070000';

  async up(runner) {
    const columns = [
      { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
      { name: 'order', type: 'varchar', length: '64' },
      { name: 'weight', type: 'double', isNullable: true },
    ];
    const time = runner.connection.options.type === 'mysql' ? 'datetime(6)' : 'datetime';
    columns.push({ name: 'next_id', type: 'integer', isNullable: true }, { name: 'read_at', type: time, isNullable: true });
    const foreignKeys = [{ columnNames: ['next_id'], referencedTableName: 'notes', referencedColumnNames: ['id'] }];
    await runner.createTable(new Table({ name: 'notes', columns, foreignKeys }));
    await runner.createTable(new Table({ name: 'tags', columns: [{ name: 'tag', type: 'varchar', length: '32', isPrimary: true }] }));
  }
}

const Note = new EntitySchema({
  name: 'Note',
  tableName: 'notes',
  columns: {
    id: { type: 'int', primary: true, generated: 'increment' },
    order: { type: 'varchar', length: 64 },
    weight: { type: 'double', nullable: true },
    next_id: { type: 'int', nullable: true },
    read_at: { type: 'datetime', precision: 6, nullable: true },
  },
  relations: { next: { type: 'many-to-one', target: 'Note', joinColumn: { name: 'next_id' } } },
});

const Tag = new EntitySchema({ name: 'Tag', tableName: 'tags', columns: { tag: { type: 'varchar', length: 32, primary: true } } });

module.exports = { name: 'notes', entities: [Note, Tag], migrations: [CreateNotes1795200070000] };
