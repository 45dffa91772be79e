const { EntitySchema, Table } = require('typeorm');

/** An extension with a table of its own, whose names other databases reserve. */
class CreateNotes1795200070000 {
  name = 'CreateNotes1795200070000';

  async up(runner) {
    const columns = [
      { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
      { name: 'order', type: 'varchar', length: '64' },
      { name: 'weight', type: 'double', isNullable: true },
    ];
    await runner.createTable(new Table({ name: 'notes', columns }));
  }
}

const Note = new EntitySchema({
  name: 'Note',
  tableName: 'notes',
  columns: {
    id: { type: 'int', primary: true, generated: 'increment' },
    order: { type: 'varchar', length: 64 },
    weight: { type: 'double', nullable: true },
  },
});

module.exports = { name: 'notes', entities: [Note], migrations: [CreateNotes1795200070000] };
