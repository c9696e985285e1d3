/* no_entry.c - a shared object that is no driver. */
int not_a_driver(void);

int not_a_driver(void) {
    return 0;
}
