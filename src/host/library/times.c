/*
 * times.c - system time (100 ns since the beginning of 1601) as fields of the Gregorian calendar
 * and back (pages nf-wdm-rtltimetotimefields, nf-wdm-rtltimefieldstotime). Local time is UTC.
 */
#include "base/world.h"

#define TICKS_IN_MS 10000
#define MS_IN_DAY   86400000ll
#define DAYS_IN_400 146097

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in(int year, int month) {
    static const signed char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from the beginning of 1601 to that of `year`. */
static LONGLONG days_before(int year) {
    LONGLONG years = year - 1601;
    return years * 365 + years / 4 - years / 100 + years / 400;
}

NTSYSAPI VOID NTAPI RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields) {
    LONGLONG ms = Time->QuadPart / TICKS_IN_MS, days = ms / MS_IN_DAY;
    int of_day = (int)(ms % MS_IN_DAY);
    int year = 1601 + (int)(days * 400 / DAYS_IN_400), month = 1;
    while (days_before(year) > days)
        year--;
    while (days_before(year + 1) <= days)
        year++;
    TimeFields->Weekday = (CSHORT)((days + 1) % 7); /* 1 January 1601 was a Monday */
    days -= days_before(year);
    while (days >= days_in(year, month))
        days -= days_in(year, month++);
    TimeFields->Year = (CSHORT)year;
    TimeFields->Month = (CSHORT)month;
    TimeFields->Day = (CSHORT)(days + 1);
    TimeFields->Hour = (CSHORT)(of_day / 3600000);
    TimeFields->Minute = (CSHORT)(of_day / 60000 % 60);
    TimeFields->Second = (CSHORT)(of_day / 1000 % 60);
    TimeFields->Milliseconds = (CSHORT)(of_day % 1000);
}

static bool fields_valid(const TIME_FIELDS *f) {
    return f->Year >= 1601 && f->Year <= 30827 && f->Month >= 1 && f->Month <= 12 && f->Day >= 1 &&
           f->Day <= days_in(f->Year, f->Month) && f->Hour >= 0 && f->Hour <= 23 &&
           f->Minute >= 0 && f->Minute <= 59 && f->Second >= 0 && f->Second <= 59 &&
           f->Milliseconds >= 0 && f->Milliseconds <= 999;
}

/* The day of the week is not looked at. */
NTSYSAPI BOOLEAN NTAPI RtlTimeFieldsToTime(PTIME_FIELDS TimeFields, PLARGE_INTEGER Time) {
    const TIME_FIELDS *f = TimeFields;
    if (!fields_valid(f))
        return FALSE;
    LONGLONG days = days_before(f->Year) + f->Day - 1;
    for (int month = 1; month < f->Month; month++)
        days += days_in(f->Year, month);
    LONGLONG ms = ((f->Hour * 60ll + f->Minute) * 60 + f->Second) * 1000 + f->Milliseconds;
    Time->QuadPart = (days * MS_IN_DAY + ms) * TICKS_IN_MS;
    return TRUE;
}

NTKERNELAPI VOID NTAPI ExSystemTimeToLocalTime(PLARGE_INTEGER SystemTime,
                                               PLARGE_INTEGER LocalTime) {
    *LocalTime = *SystemTime;
}

NTKERNELAPI VOID NTAPI ExLocalTimeToSystemTime(PLARGE_INTEGER LocalTime,
                                               PLARGE_INTEGER SystemTime) {
    *SystemTime = *LocalTime;
}
